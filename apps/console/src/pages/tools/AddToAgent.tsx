import { useState } from "react"
import { Card } from "../../ui/Card.tsx"
import { Choice } from "../../ui/Choice.tsx"
import { Code } from "../../ui/Code.tsx"
import { agentPrograms } from "./agents.ts"

const programs = agentPrograms(location.origin)
const options = programs.map(({ name }) => ({ value: name, label: name }))

/** The snippet for each program that uses agents. */
export const AddToAgent = () => {
  const [name, setName] = useState(programs[0]?.name ?? "")
  const program = programs.find((program) => program.name === name)
  return (
    <Card title="Add it to an agent">
      <p className="soft">
        A program that can sign in needs only the address <code>{location.origin}/mcp</code>; you then decide on a page
        of this gateway how much it may spend. Others take a key.
      </p>
      <Choice label="Program" options={options} value={name} onChoose={setName} />
      <br />
      {program === undefined ? null : <Code title={program.where} code={program.code} />}
    </Card>
  )
}
