import * as Effect from "effect/Effect"
import { errorReported } from "effect/Runtime"
import cluster from "node:cluster"
import { type Settings, settings, SettingsError } from "../../settings/Settings.ts"
import { workerLog, Workers } from "./Workers.ts"

/** The first worker has said why it did not start. */
class WorkerFailed extends SettingsError {
  override readonly [errorReported] = false
}

/** Log lines for programs are alone on standard output. */
const printer = ({ format }: Settings["log"]) => {
  const stream = format === "json" ? process.stderr : process.stdout
  return (line: string) => void stream.write(`${line}\n`)
}

const run = (count: number, settings: Settings["log"], hasFile: boolean) =>
  Effect.callback<never, WorkerFailed>((resume) => {
    const log = workerLog(settings, (line) => void process.stdout.write(line))
    const workers = new Workers({
      count,
      log,
      print: printer(settings),
      onFailedStart: () => resume(Effect.fail(new WorkerFailed({ message: "no worker could be started" })))
    })
    // Without a file the workers do not expect the signal: it would end them, with their calls.
    const reload = () =>
      hasFile ? workers.signal("SIGHUP") : log.warn("hangup: there is no configuration file to read again")
    const signals = [
      ["SIGHUP", reload],
      ["SIGUSR2", () => workers.restart()]
    ] as const
    for (const [signal, listener] of signals) process.on(signal, listener)
    void workers.start()
    return Effect.promise(async () => {
      await workers.stop()
      for (const [signal, listener] of signals) process.off(signal, listener)
    })
  })

/**
 * Serves one port from several processes, to use the cores of a machine. SIGHUP makes each of them read the configuration
 * file again, and SIGUSR2 replaces them one after the other.
 */
export const manage = Effect.fnUntraced(function* (count: number) {
  const chosen = yield* settings
  if (chosen.store === undefined) {
    return yield* new SettingsError({
      message: "--workers needs TOLLGATE_STORE: the embedded store serves one process (docs/scale.md)"
    })
  }
  // Workers that share the listening socket itself could not hand a connection back. It is the default only on Windows.
  // Workers that listen with `reusePort` lose the connections that wait for them when they stop (`pnpm bench ports`).
  cluster.schedulingPolicy = cluster.SCHED_RR
  // The workers run this program.
  cluster.setupPrimary({ args: ["start"] })
  return yield* run(count, chosen.log, chosen.digest !== undefined)
})
