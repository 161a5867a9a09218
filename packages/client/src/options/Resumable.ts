/** What it takes to go on with a stream, in this program or another one. Plain data, without the credential. */
export interface ResumeToken {
  readonly operation: string
  readonly idempotencyKey: string
  /** Of the last event that was read. Missing: none was. */
  readonly lastEventId?: string
  readonly input: unknown
  /** The option `extra`. */
  readonly extra?: Readonly<Record<string, unknown>>
}

/** Lets a stream go on after its connection broke. `resumable` of `@tollgate/client/resumable` makes one for each stream. */
export interface Resumable {
  /** What to store, so that `resumeStream` goes on after the event that was read last. `undefined`: nothing was sent. */
  readonly token: () => ResumeToken | undefined
}
