import { useState } from "react"
import { baseUrl, outside } from "../../session/gateway.ts"
import { Card, Code, Page } from "../../ui/kit.tsx"
import { Segments } from "../../ui/form.tsx"
import { SearchCard } from "./SearchCard.tsx"
import styles from "./tools.module.css"

/** How a program that uses agents is given the tool server. */
interface AgentProgram {
  readonly name: string
  /** The file, or what to run or click. */
  readonly where: string
  readonly code: string
}

/** What each program takes, as docs/agents.md has it. The key stays in a variable. */
const agentPrograms = (baseUrl: string): ReadonlyArray<AgentProgram> => {
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

const programs = agentPrograms(baseUrl)
const options = programs.map(({ name }) => [name, name] as const)

const AddToAgent = () => {
  const [name, setName] = useState(programs[0]?.name ?? "")
  const program = programs.find((program) => program.name === name)
  return (
    <Card title="Add it to an agent">
      <p className="soft">
        An agent that can sign in needs only the address <code className={styles["address"]}>{baseUrl}/mcp</code>. This
        gateway then asks you how much it may spend. Other agents take a key, in the variable <code>TOLLGATE_KEY</code>.
      </p>
      <Segments label="Agent" options={options} value={name} onChange={setName} />
      <div className={styles["snippet"]} aria-live="polite">
        {program === undefined ? null : <Code title={program.where} code={program.code} />}
      </div>
      <p className="soft small">
        More agents and both ways to sign in: <a href={outside("/docs")}>documentation</a>.
      </p>
    </Card>
  )
}

/** What an agent finds, and how to give it these tools. */
export const ToolsPage = () => (
  <Page
    title="Agents"
    lead={
      <>
        Agents get five tools. Finding an operation is free: <code>search</code>, <code>get_details</code>,{" "}
        <code>list_categories</code>. A call never costs more than the agent's cap: <code>use</code>,{" "}
        <code>batch_use</code>.
      </>
    }
  >
    <div className={styles["columns"]}>
      <SearchCard />
      <AddToAgent />
    </div>
  </Page>
)
