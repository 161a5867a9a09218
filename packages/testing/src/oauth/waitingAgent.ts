import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"

const info = { name: "test", version: "1.0.0" }

export type Revision = "with a session" | "2026-07-28"

/** Bounds only a failure: a busy machine may take longer than the minute of the client. */
const timeout = 240_000

const textOf = (result: unknown): string => {
  const { content } = result as { readonly content: ReadonlyArray<{ readonly text: string }> }
  return content[0]?.text ?? ""
}

/** An agent with MCP's own client. Its person is shown pages, and decides when the test says so. */
export const waitingAgent = async (baseUrl: string, credential: string, revision: Revision) => {
  const mode = revision === "2026-07-28" ? { pin: revision } : "legacy"
  const client = new Client(info, { capabilities: { elicitation: { url: {} } }, versionNegotiation: { mode } })
  let show = (_: string) => {}
  /** The address of the first page that is shown. */
  const shown = new Promise<string>((resolve) => (show = resolve))
  client.setRequestHandler("elicitation/create", ({ params }) => {
    show((params as { readonly url?: string }).url ?? "")
    return { action: "accept" as const }
  })
  const requestInit = { headers: { authorization: `Bearer ${credential}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`), { requestInit }))
  return {
    shown,
    use: async (input: Record<string, unknown>): Promise<Readonly<Record<string, unknown>>> =>
      JSON.parse(textOf(await client.callTool({ name: "use", arguments: input }, { timeout }))) as Readonly<
        Record<string, unknown>
      >,
    close: () => client.close()
  }
}
