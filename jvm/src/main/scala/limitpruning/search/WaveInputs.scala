package limitpruning.search

import limitpruning.footers.{FooterWave, SearchMemory}
import limitpruning.parquet.Footer
import limitpruning.select.ListedFile

/**
 * What a search in waves needs to inspect files.
 *
 * @param memory counts the footers that the search holds
 * @param read starts reading the footers of one wave
 * @param classify classifies the row groups of a file by its footer
 */
final case class WaveInputs(
    budget: SearchBudget,
    memory: SearchMemory,
    read: Seq[ListedFile] => FooterWave,
    classify: (ListedFile, Footer) => ClassifiedFile
)
