import { lineOf } from "@tollgate/gateway/observe"
import * as LogLevel from "effect/LogLevel"
import * as Effect from "effect/Effect"
import { errorReported } from "effect/Runtime"
import cluster from "node:cluster"
import { type LogSettings, type Settings, settings, SettingsError, refuseSetting } from "../../settings/Settings.ts"
import { CollectedMetrics } from "./CollectedMetrics.ts"
import { Worker } from "./Worker.ts"

type Fields = Readonly<Record<string, unknown>>

type WorkerLog = (message: string, fields?: Fields) => void

/** Warnings of the process that keeps the workers, in the format of their own lines. */
export const workerLog =
  ({ format, level }: Pick<LogSettings, "format" | "level">, write: (line: string) => void): WorkerLog =>
  (message, fields = {}) => {
    if (LogLevel.isGreaterThanOrEqualTo("Warn", level)) {
      write(lineOf(format, { at: new Date(), level: "Warn", message, fields }))
    }
  }

/** A worker that ran for this long did not fail at its start. */
const steadyMillis = 10_000
const longestPauseMillis = 5_000

interface Options {
  readonly count: number
  readonly print: (line: string) => void
  readonly log: WorkerLog
  /** The first worker did not start: none will. */
  readonly onFailedStart: (code: number) => void
}

/** Keeps a number of workers running. One that ends is replaced, at once or, if it failed at its start, after a pause. */
export class Workers {
  readonly #options: Options
  /** By their place. */
  readonly #workers: Array<Worker> = []
  #started = 0
  #failures = 0
  #isStopping = false

  constructor(options: Options) {
    this.#options = options
  }

  /** Starts one, and the others when it is ready: the first may have to migrate the store and to create a key. */
  async start(): Promise<void> {
    const { count, onFailedStart, print } = this.#options
    const first = this.#fork()
    const ready = await first.ready
    if (ready === undefined) {
      if (!this.#isStopping) onFailedStart((await first.ended).code)
      return
    }
    this.#place(0, first)
    if (this.#isStopping) return
    for (let i = 1; i < count; i++) this.#place(i, this.#fork())
    await Promise.all(this.#workers.map((worker) => worker.ready))
    if (!this.#isStopping) print(`${ready.banner}\n  ${count} workers`)
  }

  /** One that is being started does not expect a signal yet, and would end. */
  signal(signal: NodeJS.Signals): void {
    for (const worker of this.#workers) if (worker.isReady && !worker.isStopping) worker.signal(signal)
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    await Promise.all([...this.#running].map((worker) => worker.stop()))
  }

  readonly #running = new Set<Worker>()
  readonly #metrics = new CollectedMetrics(this.#running)

  #fork(): Worker {
    const worker = new Worker(++this.#started, () => this.#metrics.text())
    this.#running.add(worker)
    void worker.ended.then(() => {
      this.#running.delete(worker)
      this.#metrics.ended(worker)
    })
    return worker
  }

  #place(at: number, worker: Worker): void {
    this.#workers[at] = worker
    void worker.ready.then((ready) => {
      if (ready !== undefined) this.#failures = 0
    })
    void worker.ended.then(({ how }) => this.#replace(at, worker, how))
  }

  async #replace(at: number, ended: Worker, how: string): Promise<void> {
    if (this.#isStopping) return
    const hasFailed = !ended.isReady || performance.now() - ended.startedAt < steadyMillis
    if (hasFailed) this.#failures++
    const pause = ended.isReady && this.#failures <= 1 ? 0 : Math.min(longestPauseMillis, 100 * 2 ** this.#failures)
    this.#options.log("a worker ended; another one is started", {
      worker: ended.number,
      process: ended.pid,
      how,
      pauseMillis: pause === 0 ? undefined : pause
    })
    if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause).unref())
    if (!this.#isStopping) this.#place(at, this.#fork())
  }
}

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
      hasFile ? workers.signal("SIGHUP") : log("hangup: there is no configuration file to read again")
    process.on("SIGHUP", reload)
    void workers.start()
    return Effect.promise(async () => {
      await workers.stop()
      process.off("SIGHUP", reload)
    })
  })

/** Serves one port from several processes. At SIGHUP each of them reads the configuration file again. */
export const manage = Effect.fnUntraced(function* (count: number) {
  const chosen = yield* settings
  if (chosen.store === undefined) {
    return yield* refuseSetting("--workers needs TOLLGATE_STORE: the embedded store serves one process (docs/scale.md)")
  }
  // Workers that share the listening socket itself could not hand a connection back. It is the default only on Windows.
  // Workers that listen with `reusePort` lose the connections that wait for them when they stop (`pnpm bench ports`).
  cluster.schedulingPolicy = cluster.SCHED_RR
  // The workers run this program.
  cluster.setupPrimary({ args: ["start"] })
  return yield* run(count, chosen.log, chosen.digest !== undefined)
})
