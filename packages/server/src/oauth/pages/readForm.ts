import type { IncomingMessage } from "node:http"

export type Form = ReadonlyMap<string, string>

/** `status`: what the request is refused with. */
export class InvalidForm extends Error {
  readonly status: 400 | 413 | 415

  constructor(status: InvalidForm["status"]) {
    super("the form is not valid")
    this.status = status
  }
}

const maxBytes = 8 * 1024
const maxFields = 300

const decoder = new TextDecoder("utf-8", { fatal: true })

const bytesOf = (req: IncomingMessage): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Array<Buffer> = []
    let length = 0
    req.on("data", (chunk: Buffer) => {
      length += chunk.length
      if (length > maxBytes) {
        req.removeAllListeners("data").pause()
        reject(new InvalidForm(413))
      } else chunks.push(chunk)
    })
    req.once("end", () => resolve(Buffer.concat(chunks)))
    req.once("error", () => reject(new InvalidForm(400)))
    req.once("close", () => reject(new InvalidForm(400)))
  })

/** Reads a small form in which each field stands once. */
export const readForm = async (req: IncomingMessage): Promise<Form> => {
  const [type = ""] = (req.headers["content-type"] ?? "").split(";")
  if (type.trim().toLowerCase() !== "application/x-www-form-urlencoded") throw new InvalidForm(415)
  if (Number(req.headers["content-length"] ?? 0) > maxBytes) throw new InvalidForm(413)
  const bytes = await bytesOf(req)
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    throw new InvalidForm(400)
  }
  const fields = [...new URLSearchParams(text)]
  const form = new Map(fields)
  if (form.size !== fields.length || fields.length > maxFields) throw new InvalidForm(400)
  return form
}
