import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;

/**
 * Compiles mutants and runs suites against them, in one JVM that stays warm. It reads a line for each mutant: the
 * source, the folder for its classes, the folders of all other classes, the class path of the libraries, and the suites,
 * separated by tabs. It prints one line: "does not compile", "survived" or "killed".
 */
public class Trial {
  public static void main(String[] arguments) throws Exception {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] parts = line.split("\t");
      System.out.println("RESULT " + outcome(parts[0], parts[1], parts[2], parts[3], parts[4].split(",")));
      System.out.flush();
    }
  }

  private static String outcome(String source, String classes, String others, String libraries, String[] suites) {
    boolean compiles = scala.tools.nsc.Main.process(new String[] {
      "-d", classes, "-nowarn", "-release", "17", "-Xmixin-force-forwarders:false",
      "-classpath", others.replace(' ', ':') + ":" + libraries, source
    });
    if (!compiles) return "does not compile";
    List<String> run = new ArrayList<>(List.of("-R", classes + " " + others, "-S", "1", "-fW", classes + "/report.txt"));
    for (String suite : suites) run.addAll(List.of("-s", suite));
    return org.scalatest.tools.Runner.run(run.toArray(new String[0])) ? "survived" : "killed";
  }
}
