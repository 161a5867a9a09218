import { Duplex } from "node:stream"

/** The server's end of a connection without a network: a test gives it bytes and sees what is written. */
export class MemorySocket extends Duplex {
  readonly remoteAddress = "127.0.0.1"
  readonly bytesRead = 0
  readonly bytesWritten = 0
  written = ""

  constructor() {
    super({ allowHalfOpen: true })
  }

  override _read(): void {}

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.written += chunk.toString("latin1")
    done()
  }

  setTimeout(): this {
    return this
  }

  destroySoon(): void {
    if (this.writable) this.end()
    if (this.writableFinished) this.destroy()
    else this.once("finish", () => this.destroy())
  }
}
