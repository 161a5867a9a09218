import type { OfferedOperation } from "@tollgate/contract/account/Offer"
import { isChat } from "./chat/protocols.ts"
import styles from "./playground.module.css"
import type { Draft, View } from "./state/Draft.ts"

const labels: Readonly<Record<View, string>> = { chat: "Chat", form: "Form", json: "As JSON" }

export interface ViewsProps {
  readonly operation: OfferedOperation
  readonly draft: Draft
  readonly edit: (change: Partial<Draft>) => void
}

/** The ways to edit the same arguments. */
export const Views = ({ draft, edit, operation }: ViewsProps) => {
  const views: ReadonlyArray<View> = isChat(operation) ? ["chat", "form", "json"] : ["form", "json"]
  return (
    <div className={styles["views"]} role="group" aria-label="Edit the arguments as">
      {views.map((view) => (
        <button key={view} type="button" aria-pressed={draft.view === view} onClick={() => edit({ view })}>
          {labels[view]}
        </button>
      ))}
    </div>
  )
}
