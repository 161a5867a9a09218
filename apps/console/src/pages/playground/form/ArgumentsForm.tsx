import type { OfferedOperation } from "@tollgate/contract/account/Offer"
import { useMemo } from "react"
import { keyOf, getIn, setIn } from "../state/setIn.ts"
import type { Draft } from "../state/Draft.ts"
import { AddArgument } from "./AddArgument.tsx"
import { ArgumentField } from "./ArgumentField.tsx"
import type { Form } from "./Form.ts"
import styles from "./form.module.css"
import { fieldsOf, schemaOfValue } from "./shape.ts"

export interface ArgumentsFormProps {
  readonly operation: OfferedOperation
  readonly draft: Draft
  readonly edit: (change: Partial<Draft>) => void
}

/** A form from the schema of an operation: what it names first, then what else is set. */
export const ArgumentsForm = ({ draft, edit, operation }: ArgumentsFormProps) => {
  const named = useMemo(() => fieldsOf(operation.input_schema), [operation])
  const isOpen = operation.input_schema["additionalProperties"] !== false
  const form: Form = {
    id: operation.id,
    models: operation.models,
    valueAt: (path) => getIn(draft.arguments, path),
    textAt: (path) => draft.texts[keyOf(path)],
    change: (path, value, typed) => {
      const { [keyOf(path)]: _, ...texts } = draft.texts
      edit({
        arguments: setIn(draft.arguments, path, value),
        text: undefined,
        texts: typed === undefined ? texts : { ...texts, [keyOf(path)]: typed }
      })
    }
  }
  const names = new Set(named.map(({ name }) => name))
  const others = Object.entries(draft.arguments).filter(([name]) => !names.has(name))
  return (
    <>
      {named.map(({ name, required, schema }) => (
        <ArgumentField key={name} form={form} path={[name]} schema={schema} required={required} />
      ))}
      {others.map(([name, value]) => (
        <div key={name} className={styles["other"]}>
          <ArgumentField form={form} path={[name]} schema={schemaOfValue(value)} required={false} />
          <button
            type="button"
            className={styles["remove"]}
            aria-label={`Remove ${name}`}
            onClick={() => form.change([name], undefined)}
          >
            ×
          </button>
        </div>
      ))}
      {named.length === 0 && others.length === 0 && !isOpen ? (
        <p className="soft">It takes no arguments.</p>
      ) : null}
      {isOpen ? <AddArgument taken={draft.arguments} onAdd={(name, value) => form.change([name], value)} /> : null}
    </>
  )
}
