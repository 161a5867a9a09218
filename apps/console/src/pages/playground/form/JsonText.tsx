import { useState } from "react"
import { Button } from "../../../ui/kit.tsx"
import { Field } from "../../../ui/form.tsx"
import { size } from "../../../ui/amounts.ts"
import type { Draft } from "../state/Draft.ts"
import { parseArguments, pretty, problemIn } from "../json.ts"
import { largeLength } from "./large.ts"

export interface JsonTextProps {
  readonly draft: Draft
  readonly edit: (change: Partial<Draft>) => void
}

/** All arguments as one text. What is not valid stays as it is typed, and the arguments stay as they were. */
export const JsonText = ({ draft, edit }: JsonTextProps) => {
  const [showsLarge, setShowsLarge] = useState(false)
  const text = draft.text ?? pretty(draft.arguments)
  const problem = problemIn(text)
  const change = (typed: string): void => {
    const parsed = parseArguments(typed)
    edit("value" in parsed ? { text: typed, arguments: parsed.value, texts: {} } : { text: typed })
  }
  // A browser takes seconds to lay out one line of a megabyte.
  if (text.length > largeLength && !showsLarge) {
    return (
      <div className="field">
        <p>
          The arguments are {size(text.length)} of JSON, too large to show at once. They are kept, and sent as they are.
        </p>
        {problem === undefined ? null : <p className="wrong">{problem.slice(0, 500)}</p>}
        <Button onClick={() => setShowsLarge(true)}>Show them</Button>{" "}
        <Button onClick={() => change("{}")}>Empty them</Button>
      </div>
    )
  }
  return (
    <Field label="Arguments as JSON" error={problem?.slice(0, 500)}>
      {(control) => (
        <textarea
          {...control}
          className="mono"
          rows={Math.min(24, Math.max(8, text.split("\n", 30).length + 1))}
          spellCheck={false}
          value={text}
          onChange={({ target }) => change(target.value)}
        />
      )}
    </Field>
  )
}
