package limitpruning.plan

import java.lang.ref.SoftReference

/**
 * The files that a search looked at, so that a report can tell of their row groups. They are let go where memory is short.
 * Thread-safe.
 *
 * @param classify knows the predicate and its columns
 */
final class SeenRowGroups private (files: SoftReference[Seq[ClassifiedFile]], classify: ClassifyRowGroups) {

  /**
   * Lets `use` look at the files, in reading order, and ask the predicate about them: one thread at a time, as neither is
   * thread-safe.
   *
   * @return none where the files were let go
   */
  def map[T](use: (Seq[ClassifiedFile], ClassifyRowGroups) => T): Option[T] =
    Option(files.get).map(kept => classify.synchronized(use(kept, classify)))
}

object SeenRowGroups {
  def apply(files: Seq[ClassifiedFile], classify: ClassifyRowGroups): SeenRowGroups =
    new SeenRowGroups(new SoftReference(files), classify)
}
