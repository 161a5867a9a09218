import { Link } from "@tanstack/react-router"
import type { OfferedOperation } from "@tollgate/contract/account/Offer"
import { Notice } from "../../ui/Notice.tsx"
import { shortPrice } from "./price.ts"
import styles from "./playground.module.css"

const first = [
  { template: "chat.completions", why: "Watch an answer stream in, token by token" },
  { template: "rerank", why: "Order documents by their relevance" },
  { template: "images.generate", why: "Make an image" },
  { template: "video.create", why: "Start a task that goes on after its answer" }
]

export interface WelcomeProps {
  readonly operations: ReadonlyArray<OfferedOperation>
  /** An id that no operation has. */
  readonly missing: string | undefined
}

/** Nothing is chosen yet. */
export const Welcome = ({ missing, operations }: WelcomeProps) => (
  <section className={styles["welcome"]} aria-label="Where to begin">
    {missing === undefined ? null : (
      <Notice kind="warn" title="There is no such operation here">
        <p>
          <code>{missing}</code> is not offered to this key.
        </p>
      </Notice>
    )}
    <h2>Choose an operation</h2>
    <p className="soft">
      The form comes filled in. You see what a call can cost before you make it, what the client does while it runs, and the code
      that makes the same call.
    </p>
    <ul className={styles["begin"]}>
      {first.flatMap(({ template, why }) => {
        const operation = operations.find((each) => each.template === template)
        if (operation === undefined) return []
        return (
          <li key={template}>
            <Link to="/playground/$operation" params={{ operation: operation.id }}>
              <strong>{why}</strong>
              <code>{operation.id}</code>
              <small>{shortPrice(operation)}</small>
            </Link>
          </li>
        )
      })}
    </ul>
  </section>
)
