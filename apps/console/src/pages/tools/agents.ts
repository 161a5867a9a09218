/** How a program that uses agents is given the tool server. */
export interface AgentProgram {
  readonly name: string
  /** The file, or what to run or click. */
  readonly where: string
  readonly code: string
}

/** What each program takes, as docs/agents.md has it. The key stays in a variable. */
export const agentPrograms = (baseUrl: string): ReadonlyArray<AgentProgram> => {
  const url = `${baseUrl}/mcp`
  return [
    {
      name: "Claude Code",
      where: "In a terminal",
      code: `claude mcp add --transport http tollgate ${url} --header "Authorization: Bearer $TOLLGATE_KEY"`
    },
    { name: "Claude Desktop", where: "Settings → Connectors → Add custom connector", code: url },
    {
      name: "Cursor",
      where: ".cursor/mcp.json",
      code: `{
  "mcpServers": {
    "tollgate": {
      "url": "${url}",
      "headers": { "Authorization": "Bearer \${env:TOLLGATE_KEY}" }
    }
  }
}`
    },
    {
      name: "VS Code",
      where: ".vscode/mcp.json",
      code: `{
  "inputs": [{ "type": "promptString", "id": "tollgate-key", "description": "Tollgate API key", "password": true }],
  "servers": {
    "tollgate": {
      "type": "http",
      "url": "${url}",
      "headers": { "Authorization": "Bearer \${input:tollgate-key}" }
    }
  }
}`
    },
    {
      name: "Codex",
      where: "~/.codex/config.toml",
      code: `[mcp_servers.tollgate]
url = "${url}"
bearer_token_env_var = "TOLLGATE_KEY"`
    },
    {
      name: "ChatGPT",
      where: "Settings → Apps & Connectors → Advanced settings → Developer mode",
      code: url
    }
  ]
}
