import { Family } from "@tollgate/gateway/driver"
import { countersOf, merge, render } from "@tollgate/gateway/observe"

/** A worker's store may take two seconds before it counts as down. */
const patienceMillis = 3_000

export interface MetricsSource {
  readonly isReady: boolean
  readonly isStopping: boolean
  /** The last ones that it sent. */
  readonly metrics: Family.Snapshot
  /** Reads them again. Returns whether it answered in time. */
  readonly readMetrics: (millis: number) => Promise<boolean>
}

/** Adds up the metrics of the workers. What a worker counted stays counted when it is silent or has ended. */
export class CollectedMetrics {
  readonly #running: ReadonlySet<MetricsSource>
  #ofEnded: Family.Snapshot = []
  #failed = 0
  #silent = 0
  #collecting: Promise<string> | undefined

  constructor(running: ReadonlySet<MetricsSource>) {
    this.#running = running
  }

  ended(worker: MetricsSource): void {
    this.#ofEnded = merge([this.#ofEnded, countersOf(worker.metrics)])
    if (!worker.isStopping) this.#failed++
  }

  /** All metrics in Prometheus's format. Who asks at the same time shares one reading. */
  text(): Promise<string> {
    this.#collecting ??= this.#collect().finally(() => void (this.#collecting = undefined))
    return this.#collecting
  }

  async #collect(): Promise<string> {
    const answered = new Set<MetricsSource>()
    const read = async (worker: MetricsSource) => {
      if (await worker.readMetrics(patienceMillis)) answered.add(worker)
      else if (this.#running.has(worker)) this.#silent++
    }
    await Promise.all([...this.#running].filter(({ isReady }) => isReady).map(read))
    const ofRunning = [...this.#running].map((worker) =>
      answered.has(worker) ? worker.metrics : countersOf(worker.metrics)
    )
    return render(merge([...ofRunning, this.#ofEnded, this.#ofWorkers()]))
  }

  #ofWorkers(): Family.Snapshot {
    const { counter, gauge, single } = Family
    return [
      gauge("tollgate_workers", "Worker processes that run.", single(this.#running.size)),
      counter("tollgate_workers_failed_total", "Workers that ended without being stopped.", single(this.#failed)),
      counter(
        "tollgate_metrics_silent_workers_total",
        "Times that a worker did not send its metrics in time: its gauges are missing then.",
        single(this.#silent)
      )
    ]
  }
}
