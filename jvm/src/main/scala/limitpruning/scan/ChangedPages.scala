package limitpruning.scan

import java.lang.reflect.{InvocationHandler, InvocationTargetException, Method, Proxy}

import org.apache.parquet.column.page.PageReadStore

/** The pages of a row group with other answers to some calls. Versions of parquet-java differ in what can be called. */
private[scan] object ChangedPages {

  /**
   * The pages, of which a reader reads the first rows only: the rest of the pages need not be decoded.
   *
   * @param rows at most as many as the pages have
   */
  def first(pages: PageReadStore, rows: Long): PageReadStore = ChangedPages(pages) { (method, _, answer) =>
    if (method.getName == "getRowCount") Long.box(rows) else answer
  }

  /** @param change the answer, given what is called, its arguments, and the answer of `pages` */
  def apply(pages: PageReadStore)(change: (Method, Array[AnyRef], AnyRef) => AnyRef): PageReadStore = {
    val handler = new InvocationHandler {
      override def invoke(proxy: Any, method: Method, arguments: Array[AnyRef]): AnyRef = {
        val answer =
          try method.invoke(pages, arguments: _*)
          catch { case error: InvocationTargetException => throw error.getCause }
        change(method, arguments, answer)
      }
    }
    val loader = classOf[PageReadStore].getClassLoader
    Proxy.newProxyInstance(loader, Array[Class[_]](classOf[PageReadStore]), handler)
      .asInstanceOf[PageReadStore]
  }
}
