import { Field } from "../../../ui/Field.tsx"
import { largeLength } from "./large.ts"
import type { Draft } from "../state/Draft.ts"
import { parseArguments, pretty, problemIn } from "../state/json.ts"

export interface JsonTextProps {
  readonly draft: Draft
  readonly edit: (change: Partial<Draft>) => void
}

/** All arguments as one text. What is not valid stays as it is typed, and the arguments stay as they were. */
export const JsonText = ({ draft, edit }: JsonTextProps) => {
  const text = draft.text ?? pretty(draft.arguments)
  const change = (typed: string): void => {
    const parsed = parseArguments(typed)
    edit("value" in parsed ? { text: typed, arguments: parsed.value, texts: {} } : { text: typed })
  }
  return (
    <Field label="Arguments as JSON" error={problemIn(text)}>
      {(control) => (
        <textarea
          {...control}
          className="mono"
          rows={Math.min(24, Math.max(8, text.split("\n", 30).length + 1))}
          spellCheck={false}
          // Lines of a large text are not broken, which would take a browser seconds.
          wrap={text.length > largeLength ? "off" : "soft"}
          value={text}
          onChange={({ target }) => change(target.value)}
        />
      )}
    </Field>
  )
}
