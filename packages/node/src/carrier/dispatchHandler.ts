import { type Incoming, NotCarried, type Outgoing } from "@tollgate/contract/carrier/Carrier"
import * as Exit from "effect/Exit"
import type { Dispatcher } from "undici"
import type { Transform } from "node:stream"
import { atEndOfTick, BodyBuffer } from "./bodyBuffer.ts"
import * as zlib from "node:zlib"

/** How a body is decompressed, whole or while it arrives. */
interface ContentCoding {
  /** Fails if the body is damaged, and with `ERR_BUFFER_TOO_LARGE` if it is longer than that. Runs off the main thread. */
  readonly decode: (body: Uint8Array, maxBytes: number, then: (error: Error | null, decoded: Buffer) => void) => void
  /** For a body that begins so. */
  readonly stream: (first: Uint8Array) => Transform
}

const bound = (maxBytes: number): zlib.ZlibOptions =>
  Number.isSafeInteger(maxBytes) ? { maxOutputLength: Math.max(1, maxBytes) } : {}

const gzip: ContentCoding = {
  decode: (body, maxBytes, then) => zlib.gunzip(body, bound(maxBytes), then),
  stream: () => zlib.createGunzip()
}

/** Some servers send `deflate` without the header of zlib. */
const isWrapped = (body: Uint8Array): boolean => ((body[0] ?? 0) & 0x0f) === 8

const deflate: ContentCoding = {
  decode: (body, maxBytes, then) => (isWrapped(body) ? zlib.inflate : zlib.inflateRaw)(body, bound(maxBytes), then),
  stream: (first) => (isWrapped(first) ? zlib.createInflate() : zlib.createInflateRaw())
}

const br: ContentCoding = {
  decode: (body, maxBytes, then) => zlib.brotliDecompress(body, bound(maxBytes), then),
  stream: () => zlib.createBrotliDecompress()
}

const codings: Readonly<Record<string, ContentCoding>> = { gzip, "x-gzip": gzip, deflate, br }

/** `undefined`: the body is as it is, or in a coding that is not known here. */
const codingOf = (header: string | undefined): ContentCoding | undefined => {
  if (header === undefined) return undefined
  const name = header.trim().toLowerCase()
  return Object.hasOwn(codings, name) ? codings[name] : undefined
}

const isTooLarge = (error: Error): boolean => "code" in error && error.code === "ERR_BUFFER_TOO_LARGE"

type Resume = (exit: Exit.Exit<Incoming, NotCarried>) => void
type RawHeaders = Record<string, string | Array<string> | undefined>

const empty = new Uint8Array(0)

/** Receives what undici reports about one request, and turns it into one response or failure. */
export class DispatchHandler implements Dispatcher.DispatchHandler {
  /** Until it is known. It may hold on to the request, which a stream outlives. */
  #isStreamed: Outgoing["isStreamed"] | undefined
  readonly #idleMillis: number
  readonly #maxBytes: number
  readonly #resume: Resume
  readonly #onUnsent: Outgoing["onUnsent"]
  #timer: NodeJS.Timeout
  #controller: Dispatcher.DispatchController | undefined
  #why: "broken" | "timeout" | "too large" = "broken"
  #aborted = false
  #isDone = false
  #status = 0
  readonly #headers: Record<string, string> = {}
  readonly #chunks: Array<Buffer> = []
  /** How much of a body that is collected may still arrive. */
  #left: number
  #buffer: BodyBuffer<NotCarried> | undefined
  /** Of a body that arrives compressed. */
  #coding: ContentCoding | undefined
  #decoder: Transform | undefined
  #isPaused = false

  constructor(outgoing: Outgoing, resume: Resume) {
    this.#isStreamed = outgoing.isStreamed
    this.#idleMillis = outgoing.idleMillis
    this.#maxBytes = outgoing.maxBytes ?? Infinity
    this.#resume = resume
    this.#onUnsent = outgoing.onUnsent
    this.#left = this.#maxBytes
    this.#timer = setTimeout(this.#expire, outgoing.deadlineMillis)
  }

  /** Cancels the request and closes its connection, unless the response has arrived in full. */
  readonly abort = (): void => {
    clearTimeout(this.#timer)
    this.#decoder?.destroy()
    // Also called at the normal end of every stream, where making an error would be a waste.
    if (this.#isDone) return
    this.#aborted = true
    if (this.#controller === undefined) this.#onUnsent?.()
    else this.#controller.abort(new Error("Request aborted"))
  }

  readonly #expire = (): void => {
    this.#why = "timeout"
    this.abort()
    // While there is no connection, undici reports nothing until connecting has failed.
    if (this.#controller === undefined) this.#fail(undefined)
  }

  /** Called when a connection is ready, immediately before the first byte is written. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#aborted) controller.abort(new Error("Request aborted"))
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, raw: RawHeaders): void {
    if (status < 200) return
    this.#status = status
    for (const name in raw) {
      const value = raw[name]
      if (value !== undefined) this.#headers[name] = typeof value === "string" ? value : value.join(", ")
    }
    this.#coding = codingOf(this.#headers["content-encoding"])
    if (this.#coding !== undefined) {
      delete this.#headers["content-encoding"]
      delete this.#headers["content-length"]
    }
    const head = { status, headers: this.#headers }
    const isStreamed = this.#isStreamed?.(head) === true
    this.#isStreamed = undefined
    if (isStreamed) {
      const arrived = Exit.succeed({ ...head, body: this.#streamed().stream })
      // undici would keep them as long as the stream lasts.
      controller.rawHeaders = null
      // The first bytes of the body often come with the head. Nobody has to wait for them then.
      atEndOfTick(() => this.#resume(arrived), queueMicrotask)
    } else if (Number(this.#headers["content-length"]) > this.#left) this.#refuse()
  }

  #refuse(): void {
    this.#why = "too large"
    this.#chunks.length = 0
    this.abort()
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#buffer === undefined) {
      this.#left -= chunk.length
      if (this.#left < 0) this.#refuse()
      else this.#chunks.push(chunk)
      return
    }
    this.#timer.refresh()
    if (this.#coding === undefined) return this.#buffer.push(chunk)
    this.#decoder ??= this.#decoderInto(this.#buffer, this.#coding.stream(chunk))
    if (!this.#decoder.write(chunk)) this.#controller?.pause()
  }

  onResponseEnd(): void {
    this.#isDone = true
    clearTimeout(this.#timer)
    if (this.#decoder !== undefined) return void this.#decoder.end()
    if (this.#buffer !== undefined) return this.#buffer.close(Exit.void)
    const [first = empty] = this.#chunks
    const body = this.#chunks.length > 1 ? Buffer.concat(this.#chunks) : first
    if (this.#coding !== undefined && body.length > 0) return this.#decode(this.#coding, body)
    const arrived = Exit.succeed({ status: this.#status, headers: this.#headers, body })
    atEndOfTick(() => this.#resume(arrived), queueMicrotask)
  }

  #decode({ decode }: ContentCoding, body: Uint8Array): void {
    decode(body, this.#maxBytes, (error, decoded) => {
      if (error === null) {
        return this.#resume(Exit.succeed({ status: this.#status, headers: this.#headers, body: decoded }))
      }
      if (isTooLarge(error)) this.#why = "too large"
      this.#fail(error)
    })
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error)
  }

  #fail(cause: Error | undefined): void {
    this.#isDone = true
    clearTimeout(this.#timer)
    const isSent = this.#controller !== undefined
    const late = this.#why === "timeout"
    const failure = Exit.fail(new NotCarried({ why: isSent ? this.#why : "not sent", late, cause }))
    if (this.#buffer === undefined) this.#resume(failure)
    else this.#buffer.close(failure)
  }

  #streamed(): BodyBuffer<NotCarried> {
    clearTimeout(this.#timer)
    const startIdle = () => (this.#timer = setTimeout(this.#expire, this.#idleMillis))
    startIdle()
    return (this.#buffer = new BodyBuffer<NotCarried>({
      pause: () => {
        // While reading is paused, a silent upstream is not at fault.
        clearTimeout(this.#timer)
        this.#isPaused = true
        this.#controller?.pause()
        this.#decoder?.pause()
      },
      resume: () => {
        startIdle()
        this.#isPaused = false
        this.#decoder?.resume()
        if (this.#decoder?.writableNeedDrain !== true) this.#controller?.resume()
      },
      cancel: this.abort
    }))
  }

  #decoderInto(buffer: BodyBuffer<NotCarried>, decoder: Transform): Transform {
    return decoder
      .on("data", (chunk: Buffer) => buffer.push(chunk))
      .on("drain", () => {
        if (!this.#isPaused) this.#controller?.resume()
      })
      .on("end", () => {
        clearTimeout(this.#timer)
        buffer.close(Exit.void)
      })
      .on("error", (error) => {
        this.abort()
        this.#fail(error)
      })
  }
}
