package limitpruning.testing

import java.nio.file.Files

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

class LatencyFileSystemSuite extends AnyFunSuite with TempFolder {
  private lazy val storage = {
    val created = new LatencyFileSystem
    created.initialize(created.getUri, new Configuration())
    created
  }

  private def cost(body: => Any): Seq[Long] = {
    val before = LatencyFileSystem.counts
    val _ = body
    LatencyFileSystem.counts.toSeq.zip(before).map { case (after, earlier) => after - earlier }
  }

  test("counts a request for each call, and for each offset that is read from") {
    val file = Files.write(folder.resolve("file"), Array.tabulate(100)(_.toByte))
    val path = new Path(s"slow://$file")
    assert(cost(storage.getFileStatus(path)) == Seq(0, 0, 1, 0, 0))
    assert(cost(storage.listStatus(new Path(s"slow://$folder"))) == Seq(0, 0, 0, 1, 0))
    val buffer = new Array[Byte](10)
    assert(cost {
      val in = storage.open(path)
      in.seek(50)
      in.readFully(buffer)
      in.readFully(buffer)
      in.readFully(20, buffer)
      in.close()
    } == Seq(1, 2, 0, 0, 30))
    assert(buffer.toSeq == (20 until 30).map(_.toByte))
  }

  test("a request takes the configured time") {
    LatencyFileSystem.setMillis(30)
    try {
      val started = System.nanoTime()
      storage.getFileStatus(new Path(s"slow://$folder"))
      assert(System.nanoTime() - started >= 30 * 1000000L)
    } finally LatencyFileSystem.setMillis(0)
  }
}
