import type { ImportPreview, ImportRequest } from "@tollgate/contract/admin/Import"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll } from "vitest"
import { get, openapi } from "../operations/documents.ts"
import type { operatedGateway } from "./setup.ts"

/** The text of a document with these operations. */
export const petsDocument = (paths: object = { "/pets": get({ operationId: "list" }) }, more: object = {}) =>
  JSON.stringify(openapi({ ...paths }, { ...more }))

/** An upstream that answers every request, and remembers it. */
export const petsUpstream = () => {
  const heard: Array<{ readonly url: string; readonly headers: IncomingHttpHeaders }> = []
  const server = createServer(({ headers, url = "" }, response) => {
    heard.push({ url, headers })
    response.setHeader("content-type", "application/json").end('{"pets":["Ada"]}')
  })
  const listening = new Promise<string>((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
  )
  afterAll(() => (server.close(), server.closeAllConnections()))
  return { heard, address: () => listening }
}

export const messageOf = (answer: { readonly json: () => unknown }) =>
  (answer.json() as { error: { message: string } }).error.message

/** What a test does with the imports of a gateway. */
export const importsOf = ({ send }: Pick<ReturnType<typeof operatedGateway>, "send">) => {
  const ask = (request: Partial<ImportRequest>) => send("POST", "/imports/preview", { upstream: "pets", ...request })
  return {
    ask,
    preview: async (request: Partial<ImportRequest>) => {
      const answer = await ask(request)
      if (answer.status !== 200) throw new Error(answer.text)
      return answer.json() as ImportPreview
    },
    apply: (request: Partial<ImportRequest>, fingerprint: string | null, note?: string) =>
      send("POST", "/imports/apply", {
        upstream: "pets",
        ...request,
        fingerprint: fingerprint ?? "",
        ...(note === undefined ? {} : { note })
      })
  }
}
