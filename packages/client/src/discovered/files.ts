import { bodyLimits } from "@tollgate/contract/Operation"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Bytes from "effect/Bytes"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { InputInvalid, TransportFailed } from "../errors/errors.ts"
import { object } from "../events/Event.ts"

/** The part of a `Blob` or `File` that is used here and exists in every runtime. */
interface BlobSource {
  readonly size: number
  readonly type: string
  readonly name?: string
  readonly arrayBuffer: () => Promise<ArrayBuffer>
}

/** The part of a `ReadableStream` that is used here. Not every runtime can iterate over one. */
interface ReadableSource {
  readonly getReader: () => Reader
}

interface Reader {
  readonly read: () => Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>
  readonly cancel: () => Promise<void>
}

type StreamSource = ReadableSource | AsyncIterable<Uint8Array>

/** Where the bytes of a file come from. A stream can be read once, by one call. */
export type FileSource = Uint8Array | ArrayBuffer | BlobSource | StreamSource

/**
 * A file to send: a `File`, a `Blob`, bytes or a stream of them, or also its type and name. Where only JSON can be written, the
 * bytes are in base64.
 */
export type FileInput =
  | FileSource
  | { readonly bytes: FileSource; readonly contentType?: string; readonly filename?: string }
  | { readonly base64: string; readonly content_type?: string; readonly filename?: string }

interface ReadFile {
  readonly bytes: Uint8Array
  readonly contentType?: string
  readonly filename?: string
}

interface Unread {
  readonly message: string
  readonly cause?: unknown
}

/** No gateway takes more, so a stream without an end is left there. */
const mostBytes = bodyLimits.model
const tooLarge: Unread = { message: `A file has at most ${mostBytes} bytes` }
const readBefore: Unread = {
  message: "This stream was read by an earlier call. Open it again, or pass bytes, which every call can read"
}

const isBlob = (value: object): value is BlobSource => {
  const { arrayBuffer, size, type } = object(value)
  return typeof arrayBuffer === "function" && typeof size === "number" && typeof type === "string"
}

const isReadable = (value: object): value is ReadableSource => typeof object(value)["getReader"] === "function"

const isStream = (value: object): value is StreamSource => isReadable(value) || Symbol.asyncIterator in value

interface Chunks {
  readonly next: () => Promise<{ readonly done?: boolean | undefined; readonly value?: unknown }>
  /** Closes what the bytes come from. */
  readonly leave: () => unknown
}

const chunksOf = (source: StreamSource): Chunks => {
  if (isReadable(source)) {
    const reader = source.getReader()
    return { next: () => reader.read(), leave: () => reader.cancel() }
  }
  const iterator = source[Symbol.asyncIterator]()
  const { destroy } = source as { readonly destroy?: unknown }
  return {
    next: () => iterator.next(),
    // Node's streams wait for their next chunk before they obey the iterator.
    leave: () => (typeof destroy === "function" ? destroy.call(source) : iterator.return?.())
  }
}

const bytesOf = (chunk: unknown): Uint8Array => {
  if (chunk instanceof Uint8Array) return chunk
  if (typeof chunk === "string") return Utf8.encode(chunk)
  throw new TypeError("the stream has a chunk that is no bytes")
}

const leaving = async ({ leave }: Chunks): Promise<void> => {
  await leave()
}

const ignore = () => {}

const begun = new WeakSet<object>()

const readStream = (source: StreamSource): Effect.Effect<Uint8Array, Unread> =>
  Effect.suspend(() => {
    // A stream of Node that has ended is empty the second time, which would be sent and charged.
    if (begun.has(source)) return Effect.fail(readBefore)
    begun.add(source)
    let chunks: Chunks | undefined
    let isLeft = false
    const leave = () => {
      isLeft = true
      if (chunks !== undefined) leaving(chunks).catch(ignore)
    }
    const all = async (): Promise<Uint8Array | undefined> => {
      chunks = chunksOf(source)
      const parts: Array<Uint8Array> = []
      let size = 0
      for (let read = await chunks.next(); read.done !== true; read = await chunks.next()) {
        if (isLeft) return undefined
        const part = bytesOf(read.value)
        size += part.length
        if (size > mostBytes) return undefined
        parts.push(part)
      }
      return Bytes.concat(parts)
    }
    return Effect.tryPromise({ try: all, catch: unreadable }).pipe(
      Effect.flatMap((bytes) => (bytes === undefined ? Effect.fail(tooLarge) : Effect.succeed(bytes))),
      Effect.onError(() => Effect.sync(leave))
    )
  })

const unreadable = (cause: unknown): Unread => ({
  message: `The file could not be read${Predicate.isError(cause) ? `: ${cause.message}` : ""}`,
  cause
})

const readBlob = (blob: BlobSource): Effect.Effect<Uint8Array, Unread> =>
  blob.size > mostBytes
    ? Effect.fail(tooLarge)
    : Effect.map(
        Effect.tryPromise({ try: () => blob.arrayBuffer(), catch: unreadable }),
        (buffer) => new Uint8Array(buffer)
      )

interface Emitter {
  readonly on: (event: "error", listener: () => void) => unknown
}

const isEmitter = (value: unknown): value is Emitter =>
  Predicate.isObject(value) && Symbol.asyncIterator in value && typeof object(value)["on"] === "function"

/** Node ends a program whose stream fails unheard, as that of a missing file. The stream keeps its error. */
export const keepErrors = (input: unknown): void => {
  try {
    for (const value of Object.values(object(input)).flat()) {
      const source = Predicate.isObject(value) && "bytes" in value ? value.bytes : value
      if (isEmitter(source)) source.on("error", ignore)
    }
  } catch {
    // The call refuses an input that cannot be read.
  }
}

/** `undefined`: nothing has to be read first. */
const readSource = (source: unknown): Effect.Effect<ReadFile, Unread> | undefined => {
  if (!Predicate.isObject(source) || source instanceof Uint8Array) return undefined
  if (source instanceof ArrayBuffer) return Effect.succeed({ bytes: new Uint8Array(source) })
  if (isBlob(source)) {
    const { name, type } = source
    const known = { ...(type === "" ? {} : { contentType: type }), ...(name === undefined ? {} : { filename: name }) }
    return Effect.map(readBlob(source), (bytes) => ({ ...known, bytes }))
  }
  return isStream(source) ? Effect.map(readStream(source), (bytes) => ({ bytes })) : undefined
}

const readFile = (value: unknown): Effect.Effect<unknown, Unread> => {
  if (!Predicate.isObject(value)) return Effect.succeed(value)
  const read = readSource(value)
  if (read !== undefined) return read
  const within = readSource(object(value)["bytes"])
  return within === undefined
    ? Effect.succeed(value)
    : Effect.map(within, (file) => ({ ...file, ...value, bytes: file.bytes }))
}

const readFields = (input: object): Effect.Effect<unknown, Unread> =>
  Effect.map(
    Effect.forEach(Object.entries(input), ([name, value]) =>
      Effect.map(
        Array.isArray(value) ? Effect.forEach(value, readFile) : readFile(value),
        (read) => [name, read] as const
      )
    ),
    Object.fromEntries
  )

/**
 * Reads the files among the arguments, one after the other. Nothing is sent before all are read: attempts, quotes and `resume`
 * send the same bytes, and a file that fails in the middle costs nothing.
 */
export const readFiles = (
  operation: string,
  input: unknown,
  timeoutMillis: number
): Effect.Effect<unknown, InputInvalid | TransportFailed> => {
  const outcome = "not executed"
  return Effect.suspend(() => (Predicate.isObject(input) ? readFields(input) : Effect.succeed(input))).pipe(
    Effect.catchDefect((cause) => Effect.fail(unreadable(cause))),
    Effect.mapError((unread) => new InputInvalid({ operation, outcome, ...unread })),
    Effect.timeoutOrElse({
      duration: timeoutMillis,
      orElse: () => {
        const message = `The file was not read within ${timeoutMillis} ms`
        return Effect.fail(new TransportFailed({ operation, message, outcome, code: "timeout" }))
      }
    })
  )
}
