import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/** Local files as Hadoop writes them, without the process that it starts for the permissions of each file. */
public final class FilesWithoutPermissions extends LocalFileSystem {
  public FilesWithoutPermissions() {
    super(
        new RawLocalFileSystem() {
          @Override
          public void setPermission(Path path, FsPermission permission) {}
        });
  }
}
