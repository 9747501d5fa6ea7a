// One JAR for Scala 2.13 serves all of Spark 4.x that the Python suite runs on; one for Scala 2.12 serves Spark 3.5. What
// differs between their sources is in jvm/src/main/scala-2.13 and scala-2.12.
val scala213 = "2.13.18"
val scala212 = "2.12.20"

// The Spark that the JAR for Scala 2.13 is compiled against, and that for Scala 2.12.
val sparkVersion = "4.2.0"
val spark35Version = "3.5.9"

def forScala[T](ofSpark4: T, ofSpark35: T) =
  Def.setting(if (scalaBinaryVersion.value == "2.13") ofSpark4 else ofSpark35)

val spark = forScala(sparkVersion, spark35Version)

// The Delta Lake that the classes for Delta tables are compiled against. It is an optional neighbour.
val deltaVersion = "4.4.0"
val delta35Version = "3.3.2"
val delta = forScala("delta-spark_4.2" -> deltaVersion, "delta-spark" -> delta35Version)

// The Apache Iceberg that the classes for Iceberg tables are compiled against, and the Spark that it is built for. It is
// an optional neighbour, too.
val icebergVersion = "1.12.0"
val icebergSpark = forScala("4.1", "3.5")

// The version has one source, which the wheel reads too. Files in target/ and in the wheel have it in their names.
val productVersion = {
  val file = "python/limit_pruning/_version.py"
  """(?m)^__version__ = "([^"]+)"$""".r
    .findFirstMatchIn(IO.read(new java.io.File(file)))
    .fold(sys.error(s"""$file has no line __version__ = "..."."""))(_.group(1))
}

Global / onChangedBuildSource := ReloadOnSourceChanges

lazy val limitPruning = project
  .in(file("."))
  .settings(
    name := "spark-limit-pruning",
    version := productVersion.replaceFirst("""\.dev\d+$""", "-SNAPSHOT"), // of Maven, between releases
    scalaVersion := scala213,
    crossScalaVersions := Seq(scala213, scala212),
    autoScalaLibrary := false, // Spark brings it
    libraryDependencies ++= Seq(
      "org.scala-lang" % "scala-library" % scalaVersion.value % Provided,
      "org.apache.spark" %% "spark-sql" % spark.value % Provided,
      ("io.delta" %% delta.value._1 % delta.value._2 % Provided).intransitive(),
      ("io.delta" % "delta-storage" % delta.value._2 % Provided).intransitive(),
      ("org.apache.iceberg" %% s"iceberg-spark-runtime-${icebergSpark.value}" % icebergVersion %
        Provided).intransitive(),
      "com.tngtech.archunit" % "archunit" % "1.4.1" % Test,
      "org.scalatest" %% "scalatest" % "3.2.19" % Test,
      "org.scalatestplus" %% "scalacheck-1-18" % "3.2.19.0" % Test
    )
  )
  // The one that Spark 3.5 brings; others bring a newer one.
  .settings(dependencyOverrides ++= forScala(Nil, Seq("com.google.guava" % "guava" % "14.0.1")).value)
  .settings(layout, compiler, packaging, tests, publication)

// JMH benchmarks, by `make bench-jvm`; no part of the JAR or of the tests.
lazy val benchmarks = project
  .in(file("benchmarks"))
  .enablePlugins(JmhPlugin)
  .dependsOn(limitPruning % "compile->test")
  .settings(
    scalaVersion := (limitPruning / scalaVersion).value,
    libraryDependencies += "org.apache.spark" %% "spark-sql" % spark.value,
    publish / skip := true,
    run / javaOptions ++= sparkModuleOptions
  )
  .settings(compiler)

lazy val layout = Seq(
  sourceDirectory := baseDirectory.value / "jvm" / "src",
  sourcesInBase := false
)

lazy val compiler = Seq(
  scalacOptions ++= Seq("-encoding", "utf-8", "-deprecation", "-feature", "-unchecked") ++ forScala(
    ofSpark4 = Seq(
      "-release",
      "17",
      "-Werror",
      "-Xlint",
      "-Wunused",
      "-Wdead-code",
      "-Wvalue-discard",
      "-Wnonunit-statement",
      "-Wextra-implicit",
      "-Woctal-literal",
      // Forwarders to all members of Spark's traits would refer to some that another minor lacks.
      "-Xmixin-force-forwarders:false"
    ),
    // Spark 3.5 also runs on Java 8. The lints of Scala 2.13 see the common sources; those of 2.12 have other opinions.
    ofSpark35 = Seq("-release", "8", "-Xsource:3", "-Xmaxerrs", "1000")
  ).value,
  Compile / javacOptions ++= forScala(Seq("--release", "17"), Seq("--release", "8")).value,
  Test / scalacOptions -= "-Wnonunit-statement", // an assertion is a statement with a value
  Compile / doc / scalacOptions += "-no-link-warnings", // scaladoc cannot resolve links into Spark
  // In the REPL an import comes before its use.
  Compile / console / scalacOptions --= Seq("-Werror", "-Xlint", "-Wunused"),
  Test / console / scalacOptions := (Compile / console / scalacOptions).value,
  semanticdbEnabled := scalaBinaryVersion.value == "2.13", // scalafix reads it
  semanticdbVersion := "4.14.2" // scalafix's own is older and not published for this Scala
)

lazy val license = Def.setting(baseDirectory.value / "LICENSE" -> "META-INF/LICENSE")

// As Maven names what it publishes, with the product's version: the wheel, the tests and the Makefile refer to it.
def inTarget(suffix: String) =
  Def.setting(target.value / s"${name.value}_${scalaBinaryVersion.value}-$productVersion$suffix")

lazy val packaging = Seq(
  Compile / packageBin / artifactPath := inTarget(".jar").value, // no dependency is packed into it
  // The Python package compares it with its own version.
  Compile / packageBin / packageOptions +=
    Package.ManifestAttributes("Implementation-Version" -> productVersion),
  Test / packageBin / artifactPath := inTarget("-tests.jar").value, // for `make bench-scale`
  Compile / packageBin / mappings += license.value,
  Compile / packageSrc / mappings += license.value,
  Compile / packageDoc / mappings += license.value
)

// What bin/spark-submit passes to the JVM, from Spark's JavaModuleOptions.
val sparkModuleOptions =
  "-XX:+IgnoreUnrecognizedVMOptions" +: Seq(
    "java.lang",
    "java.lang.invoke",
    "java.lang.reflect",
    "java.io",
    "java.net",
    "java.nio",
    "java.util",
    "java.util.concurrent",
    "java.util.concurrent.atomic",
    "jdk.internal.ref",
    "sun.nio.ch",
    "sun.nio.cs",
    "sun.security.action",
    "sun.util.calendar"
  ).map(opened => s"--add-opens=java.base/$opened=ALL-UNNAMED")

lazy val tests = Seq(
  Test / fork := true,
  Test / parallelExecution := false,
  Test / forkOptions := {
    // Spark leaves its warehouse and artifact folders in the working directory.
    val scratch = target.value / "test-scratch"
    IO.delete(scratch)
    IO.createDirectory(scratch)
    (Test / forkOptions).value.withWorkingDirectory(scratch)
  },
  Test / envVars += "SPARK_LOCAL_IP" -> "127.0.0.1",
  Test / javaOptions ++= sparkModuleOptions ++ Seq(
    "-Xmx2g",
    "-Duser.timezone=UTC",
    "-Dspark.ui.enabled=false",
    "-Dspark.sql.shuffle.partitions=2"
  ),
  // Durations, and the failures again at the end.
  Test / testOptions += Tests.Argument(TestFrameworks.ScalaTest, "-oDI")
)

lazy val publication = {
  val site = url("https://github.com/spark-limit-pruning/spark-limit-pruning")
  Seq(
    organization := "io.github.spark-limit-pruning",
    description := "Makes Spark read only what a LIMIT needs from Parquet, with or without a WHERE.",
    homepage := Some(site),
    licenses := Seq(License.Apache2),
    scmInfo := Some(ScmInfo(site, s"scm:git:$site.git")),
    developers := List(Developer("spark-limit-pruning", "The spark-limit-pruning developers", "", site)),
    versionScheme := Some("early-semver"),
    publishMavenStyle := true,
    // What is tested with is of no use to those who depend on the JAR.
    makePomConfiguration ~= (_.withConfigurations(Vector(Compile, Runtime, Provided, Optional))),
    makePom / artifactPath := inTarget(".pom").value,
    Compile / packageSrc / artifactPath := inTarget("-sources.jar").value,
    Compile / packageDoc / artifactPath := inTarget("-javadoc.jar").value
  )
}
