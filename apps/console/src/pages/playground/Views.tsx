import type { OfferedOperation } from "@tollgate/contract/account/Offer"
import { Segments } from "../../ui/Segments.tsx"
import { isChat } from "./chat/protocols.ts"
import type { Draft, View } from "./state/Draft.ts"

const chat = ["chat", "Chat"] as const
const others: ReadonlyArray<readonly [View, string]> = [
  ["form", "Form"],
  ["json", "As JSON"]
]

export interface ViewsProps {
  readonly operation: OfferedOperation
  readonly draft: Draft
  readonly edit: (change: Partial<Draft>) => void
}

/** The ways to edit the same arguments. */
export const Views = ({ draft, edit, operation }: ViewsProps) => (
  <Segments
    label="Edit the arguments as"
    options={isChat(operation) ? [chat, ...others] : others}
    value={draft.view}
    onChange={(view) => edit({ view })}
  />
)
