import { useState } from "react"
import { baseUrl, outside } from "../../session/gateway.ts"
import { Card } from "../../ui/Card.tsx"
import { Choice } from "../../ui/Choice.tsx"
import { Code } from "../../ui/Code.tsx"
import { agentPrograms } from "./agents.ts"
import styles from "./tools.module.css"

const programs = agentPrograms(baseUrl)
const options = programs.map(({ name }) => ({ value: name, label: name }))

/** The snippet for each program that uses agents. */
export const AddToAgent = () => {
  const [name, setName] = useState(programs[0]?.name ?? "")
  const program = programs.find((program) => program.name === name)
  return (
    <Card title="Add it to an agent">
      <p className="soft">
        A program that can sign in needs only the address <code className={styles["address"]}>{baseUrl}/mcp</code>; you
        then decide on a page of this gateway how much it may spend. Others take a key, in the variable{" "}
        <code>TOLLGATE_KEY</code>.
      </p>
      <Choice label="Program" options={options} value={name} onChoose={setName} />
      <div className={styles["snippet"]} aria-live="polite">
        {program === undefined ? null : <Code title={program.where} code={program.code} />}
      </div>
      <p className="soft small">
        More programs and both ways to sign in: <a href={outside("/docs")}>documentation</a>.
      </p>
    </Card>
  )
}
