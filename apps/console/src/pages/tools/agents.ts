/** How a program that uses agents is given the tool server. */
export interface AgentProgram {
  readonly name: string
  /** The file, or what to run or click. */
  readonly where: string
  readonly code: string
}

const json = (value: unknown): string => JSON.stringify(value, null, 2)

/** What each program takes. The key stays in a variable. */
export const agentPrograms = (origin: string): ReadonlyArray<AgentProgram> => {
  const url = `${origin}/mcp`
  return [
    {
      name: "Claude Code",
      where: "in a terminal",
      code: `claude mcp add --transport http tollgate ${url} --header "Authorization: Bearer $TOLLGATE_KEY"`
    },
    { name: "Claude Desktop", where: "Settings → Connectors → Add custom connector, with this address", code: url },
    {
      name: "Cursor",
      where: ".cursor/mcp.json",
      code: json({ mcpServers: { tollgate: { url, headers: { Authorization: "Bearer ${env:TOLLGATE_KEY}" } } } })
    },
    {
      name: "VS Code",
      where: ".vscode/mcp.json",
      code: json({
        inputs: [{ type: "promptString", id: "tollgate-key", description: "Tollgate API key", password: true }],
        servers: { tollgate: { type: "http", url, headers: { Authorization: "Bearer ${input:tollgate-key}" } } }
      })
    },
    {
      name: "Codex",
      where: "~/.codex/config.toml",
      code: `[mcp_servers.tollgate]\nurl = "${url}"\nbearer_token_env_var = "TOLLGATE_KEY"`
    },
    {
      name: "ChatGPT",
      where: "Settings → Apps & Connectors → Developer mode → Create, with this address and OAuth",
      code: url
    }
  ]
}
