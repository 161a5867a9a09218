import { key } from "../TestGateway.ts"

const names = 1_850_000

/** 1.85 million names in about 16 MiB: cheap to send, and seconds of work for who parses it. */
export const manyNames = (): string =>
  `{"model":"sandbox","messages":[],${Array.from({ length: names }, (_, i) => `"${i.toString(36)}":1`).join()}}`

/** The head of a request whose body is not sent with it. */
export const head = (path: string, framing: string, credential = key): string =>
  [`POST ${path} HTTP/1.1`, "Host: gateway", `Authorization: Bearer ${credential}`, framing, "", ""].join("\r\n")

export const declared = (bytes: number): string => `Content-Length: ${bytes}`

export const chunked = "Transfer-Encoding: chunked"

export const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`

/** An image in a chat message, as base64 of this many bytes. */
export const chatWithImage = (bytes: number): string =>
  JSON.stringify({
    model: "sandbox",
    max_tokens: 10,
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          { type: "image_url", image_url: { url: `data:image/png;base64,${"iVBORw0KGgo+/A8z".repeat(bytes / 16)}` } }
        ]
      }
    ]
  })

/** The longest honest list of tools: 128, each with twenty described parameters. */
export const chatWithTools = (): string =>
  JSON.stringify({
    model: "sandbox",
    max_tokens: 10,
    messages: [{ role: "user", content: "Why do rivers bend?" }],
    tools: Array.from({ length: 128 }, (_, tool) => ({
      type: "function",
      function: {
        name: `tool_${tool}`,
        description: "Looks something up and returns what it found, or nothing.",
        parameters: {
          type: "object",
          properties: Object.fromEntries(
            Array.from({ length: 20 }, (_, i) => [
              `parameter_${i}`,
              { type: "string", description: "What to look for, in words.", enum: ["a", "b", "c", "d"] }
            ])
          ),
          required: ["parameter_0", "parameter_1"]
        }
      }
    }))
  })

/** A rerank of a thousand documents of 3 kB. */
export const thousandDocuments = (): string =>
  JSON.stringify({
    query: "Why do rivers bend?",
    documents: Array.from({ length: 1_000 }, (_, i) => `${i}: ${"Rivers bend because water runs faster. ".repeat(77)}`)
  })
