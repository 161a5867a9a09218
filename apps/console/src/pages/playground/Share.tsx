import type { OfferedOperation } from "@tollgate/contract/account/Offer"
import { useEffect, useState } from "react"
import { Copy, Notice } from "../../ui/kit.tsx"
import type { Draft } from "./state/Draft.ts"
import { fragmentOf, sharedIn } from "./state/shared.ts"
import type { Workbench } from "./state/Workbench.ts"

/** A link that fills in the same call for somebody else, who pays with a key of their own. */
export const Share = ({ draft }: { readonly draft: Draft }) => {
  const fragment = fragmentOf(draft)
  return fragment === undefined ? null : (
    <Copy label="Copy link" text={`${location.origin}${location.pathname}${fragment}`} />
  )
}

interface FilledInProps {
  readonly operation: OfferedOperation
  readonly workbench: Workbench
}

/** Fills in the call of the link that led here, once. */
export const FilledIn = ({ operation, workbench }: FilledInProps) => {
  const [isFilledIn, setFilledIn] = useState(false)
  useEffect(() => {
    const shared = sharedIn(location.hash, operation)
    if (shared === undefined) return
    history.replaceState(history.state, "", location.pathname + location.search)
    workbench.edit(operation, shared)
    setFilledIn(true)
  }, [operation, workbench])
  return isFilledIn ? (
    <Notice kind="warn" title="A link filled this in">
      <p>Read it before you send it. You pay for the call.</p>
    </Notice>
  ) : null
}
