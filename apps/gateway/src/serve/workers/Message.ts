import * as Schema from "effect/Schema"

/** Set for workers that replace others by an order: the file that they read is meant for all gateways. */
export const adoptsConfiguration = "WORKER_ADOPTS_CONFIGURATION"

const Sample = Schema.Struct({
  labels: Schema.Record(Schema.String, Schema.String),
  value: Schema.Union([Schema.Number, Schema.String.check(Schema.isPattern(/^-?\d{1,50}$/))])
})

const HistogramSample = Schema.Struct({
  labels: Schema.Record(Schema.String, Schema.String),
  counts: Schema.Array(Schema.Number),
  sum: Schema.Number
})

const named = { name: Schema.String, help: Schema.String }

const Snapshot = Schema.Array(
  Schema.Union([
    Schema.Struct({
      ...named,
      type: Schema.Literals(["counter", "gauge"]),
      combine: Schema.optionalKey(Schema.Literals(["max", "min"])),
      samples: Schema.Array(Sample)
    }),
    Schema.Struct({
      ...named,
      type: Schema.Literal("histogram"),
      bounds: Schema.Array(Schema.Number),
      samples: Schema.Array(HistogramSample)
    })
  ])
)

const FromWorker = Schema.Union([
  /** It can take calls. */
  Schema.Struct({ kind: Schema.Literal("ready"), banner: Schema.String }),
  /** It listens no more. */
  Schema.Struct({ kind: Schema.Literal("leave_port") }),
  /** It is asked for the metrics of all workers. */
  Schema.Struct({ kind: Schema.Literal("scrape"), scrape: Schema.Int }),
  /** Its own metrics. Without a number they are the last ones before it ends. */
  Schema.Struct({ kind: Schema.Literal("metrics"), reading: Schema.optionalKey(Schema.Int), metrics: Snapshot })
])

const FromPrimary = Schema.Union([
  /** Another one takes its place: it stops when its callers have left. */
  Schema.Struct({ kind: Schema.Literal("replace") }),
  /** To one that is being replaced: it cannot wait for its callers any more. */
  Schema.Struct({ kind: Schema.Literal("program_stops") }),
  /** The answer to `leave_port`: all connections that it was handed were sent before. */
  Schema.Struct({ kind: Schema.Literal("port_left") }),
  Schema.Struct({ kind: Schema.Literal("read_metrics"), reading: Schema.Int }),
  /** The metrics of all workers. */
  Schema.Struct({ kind: Schema.Literal("scraped"), scrape: Schema.Int, text: Schema.String })
])

/** What a worker sends to the process that started it. */
export type FromWorker = typeof FromWorker.Type
export const isFromWorker = Schema.is(FromWorker)

export type FromPrimary = typeof FromPrimary.Type
export const isFromPrimary = Schema.is(FromPrimary)

export type Ready = Extract<FromWorker, { kind: "ready" }>

/** Sends a message to the process that started this worker. `done` is called when it is written, or cannot be. */
export const toPrimary = (message: FromWorker, done: () => void = () => {}): void => {
  if (process.send === undefined || !process.connected) return done()
  process.send(message, undefined, undefined, done)
}
