import { spawn } from "node:child_process"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"

const root = resolve(import.meta.dirname, "../../..")

interface Answer {
  readonly id?: number
  readonly method?: string
  readonly result?: unknown
}

interface Problem {
  /** 1 is an error. */
  readonly severity: number
  readonly message: string
}

interface Program {
  /** What the editor shows for the name at the start of this code. */
  readonly hover: (code: string) => Promise<string>
  /** The errors of the program. */
  readonly problems: () => Promise<ReadonlyArray<string>>
}

/** Splits the server's output into messages. */
const reader = (take: (message: Answer) => void) => {
  let rest = Buffer.alloc(0)
  return (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      const end = rest.indexOf("\r\n\r\n")
      const [, length] = /Content-Length: (\d+)/.exec(rest.toString("utf8", 0, Math.max(end, 0))) ?? []
      if (length === undefined || rest.length < end + 4 + Number(length)) return
      take(JSON.parse(rest.toString("utf8", end + 4, end + 4 + Number(length))))
      rest = rest.subarray(end + 4 + Number(length))
    }
  }
}

/** The compiler's language server, as an editor runs it: what it shows for a name, and the problems of a program. */
export const languageServer = async () => {
  const server = spawn(join(root, "node_modules/.bin/tsc"), ["--lsp", "--stdio"], {
    cwd: root,
    stdio: ["pipe", "pipe", "ignore"]
  })
  const waiting = new Map<number, (result: unknown) => void>()
  let ids = 0
  let files = 0

  const send = (message: object) => {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message })
    server.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
  }
  const ask = (method: string, params: object) =>
    new Promise<unknown>((resolve) => {
      waiting.set(++ids, resolve)
      send({ id: ids, method, params })
    })
  server.stdout.on(
    "data",
    reader(({ id, method, result }) => {
      if (method === undefined) waiting.get(id ?? 0)?.(result)
      else if (id !== undefined) send({ id, result: null })
    })
  )
  const capabilities = { textDocument: { hover: { contentFormat: ["plaintext"] }, diagnostic: {} } }
  await ask("initialize", { processId: process.pid, rootUri: String(pathToFileURL(root)), capabilities })
  send({ method: "initialized", params: {} })

  return {
    /** Opens a program that is not on the disk. */
    open: (text: string): Program => {
      const uri = String(pathToFileURL(join(import.meta.dirname, `program${++files}.ts`)))
      send({
        method: "textDocument/didOpen",
        params: { textDocument: { uri, languageId: "typescript", version: 1, text } }
      })
      return {
        hover: async (code) => {
          const lines = text.slice(0, text.indexOf(code)).split("\n")
          const position = { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 }
          const shown = await ask("textDocument/hover", { textDocument: { uri }, position })
          return (shown as { readonly contents: { readonly value: string } }).contents.value
        },
        problems: async () => {
          const found = await ask("textDocument/diagnostic", { textDocument: { uri } })
          const { items } = found as { readonly items: ReadonlyArray<Problem> }
          return items.filter(({ severity }) => severity === 1).map(({ message }) => message)
        }
      }
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.once("close", () => resolve())
        server.stdin.end()
        server.kill()
      })
  }
}
