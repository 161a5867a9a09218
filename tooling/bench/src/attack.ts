import { model } from "./conversation.ts"

/** The keys of callers who send large bodies, at the limits of the Free tier. */
export const attackers = { poor: "attacker-without-money-1", rich: "attacker-with-money-0001" }

export const head = (key: string, length: number): Buffer =>
  Buffer.from(
    [
      "POST /v1/chat/completions HTTP/1.1",
      "host: 127.0.0.1",
      `authorization: Bearer ${key}`,
      `content-length: ${length}`,
      "",
      ""
    ].join("\r\n")
  )

/** 16 MiB: cheap to send, and seconds of work for who parses it. */
export const manyNames = (): Buffer =>
  Buffer.from(`{${Array.from({ length: 1_850_000 }, (_, i) => `"${i.toString(36)}":1`).join()}}`)

/** A photo in a chat message, as base64. */
export const photo = (): Buffer => {
  const url = `data:image/png;base64,${"iVBORw0KGgo+/A8z".repeat(786_432)}`
  const content = [{ type: "image_url", image_url: { url } }]
  return Buffer.from(JSON.stringify({ model, max_tokens: 9, messages: [{ role: "user", content }] }))
}
