import { crc32 } from "node:zlib"

const withCrc = (bytes: Buffer): Buffer => {
  const crc = Buffer.alloc(4)
  crc.writeUInt32BE(crc32(bytes))
  return Buffer.concat([bytes, crc])
}

const textHeader = (name: string, value: string): Buffer => {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(Buffer.byteLength(value))
  return Buffer.concat([
    Buffer.from([Buffer.byteLength(name)]),
    Buffer.from(name),
    Buffer.from([7]),
    length,
    Buffer.from(value)
  ])
}

/** A frame of AWS's event streams. Its checksums are calculated by zlib. */
export const frame = (headers: Readonly<Record<string, string>> | Uint8Array, payload: Uint8Array): Uint8Array => {
  const head =
    headers instanceof Uint8Array
      ? headers
      : Buffer.concat(Object.entries(headers).map(([name, value]) => textHeader(name, value)))
  const prelude = Buffer.alloc(8)
  prelude.writeUInt32BE(16 + head.length + payload.length)
  prelude.writeUInt32BE(head.length, 4)
  return new Uint8Array(withCrc(Buffer.concat([withCrc(prelude), head, payload])))
}

/** As Bedrock sends an event: in base64, with padding that hides its length. */
export const chunkFrame = (event: unknown): Uint8Array => {
  const bytes = event instanceof Uint8Array ? event : Buffer.from(JSON.stringify(event))
  const payload = JSON.stringify({ bytes: Buffer.from(bytes).toString("base64"), p: "abcdefghijklm" })
  const headers = { ":event-type": "chunk", ":content-type": "application/json", ":message-type": "event" }
  return frame(headers, Buffer.from(payload))
}

/** As `ConverseStream` sends an event. */
export const eventFrame = (name: string, payload: object): Uint8Array =>
  frame(
    { ":event-type": name, ":content-type": "application/json", ":message-type": "event" },
    Buffer.from(JSON.stringify(payload))
  )

export const exceptionFrame = (name: string, message: string): Uint8Array =>
  frame(
    { ":exception-type": name, ":content-type": "application/json", ":message-type": "exception" },
    Buffer.from(JSON.stringify({ message }))
  )
