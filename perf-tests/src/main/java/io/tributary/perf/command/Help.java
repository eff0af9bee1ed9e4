package io.tributary.perf.command;

/** What {@code perf help} prints. */
final class Help {
    static final String TEXT = """
            Brings load on a broker and judges what comes out

              ./tributary perf run SCENARIO [options]    a built-in scenario, or a .yaml file
                  --target WHAT                          standalone, cluster, cluster:NODES, cluster:DIRECTORY,
                                                         haproxy:POLICY:NODES (see load-balancing), mosquitto,
                                                         hivemq-ce, nats, mochi, HOST:PORT[,HOST:PORT...]
                  --pid NAME=PID                         a process to measure, besides those that are known (repeat it)
                  --set KEY=VALUE                        a parameter of the scenario, or any setting by its path (repeat it)
                  --scale FACTOR                         multiplies the numbers of clients
                  --repeat N                             so many times; the median by CPU is named in the report
                  --runners N                            in N processes on this machine
                  --listen HOST:PORT                     wait there for the runners instead of starting them
                  --secret-file FILE                     what runners from elsewhere prove to know
                  --out DIRECTORY                        for result.json, report.md, report.html (perf-results/NAME-TIME)
                  --accept-bottleneck                    report a run that the tool itself spoilt, marked as such
              ./tributary perf list                      the built-in scenarios with their parameters
              ./tributary perf show SCENARIO             the text of one
              ./tributary perf compare RESULT...         result files, or their directories, side by side
                  --out DIRECTORY --title TEXT
              ./tributary perf runner --connect HOST:PORT --secret-file FILE

            Exit codes: 0 done, 1 failed, 2 called wrongly, 3 the tool was the bottleneck: no result, 4 messages were lost
            """;

    private Help() {}
}
