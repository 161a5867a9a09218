import { allowances, fromTopUps, growthFrom } from "@tollgate/contract/Tier"
import { formatUsd } from "@tollgate/contract/Money"
import { Card, Tag } from "../../ui/kit.tsx"
import { count } from "../../ui/amounts.ts"
import styles from "./limits.module.css"

const rows = [
  ["Free", allowances.Free, "Every new account."],
  ["Starter", allowances.Starter, "Top up any amount."],
  ["Growth", allowances.Growth, `Top up $${formatUsd(growthFrom)} in total.`],
  ["Enterprise", undefined, "Agree on it with the operator."]
] as const

/** What the next tier takes. `undefined`: there is none, or the tier is unknown. */
const nextStep = (tier: string): string | undefined => {
  if (tier === fromTopUps(growthFrom)) return "For more than Growth allows, ask the operator for an agreement."
  const at = rows.findIndex(([name]) => name === tier)
  const next = at === -1 ? undefined : rows[at + 1]
  return next === undefined
    ? undefined
    : `To move up to ${next[0]}: ${next[2].charAt(0).toLowerCase()}${next[2].slice(1)}`
}

/** The limits of every tier, and how to get there. */
export const Tiers = ({ tier }: { readonly tier: string }) => (
  <Card title="Tiers" flush>
    <div className="table" tabIndex={0} role="group" aria-label="Tiers">
      <table className={styles["tiers"]}>
        <thead>
          <tr>
            <th scope="col">Tier</th>
            <th scope="col" className="number">
              Requests/min
            </th>
            <th scope="col" className="number">
              Tokens/min
            </th>
            <th scope="col" className="number">
              Calls at once
            </th>
            <th scope="col" className={styles["how"]}>
              How to get it
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, allowance, how]) => (
            <tr key={name} aria-current={name === tier ? "true" : undefined}>
              <th scope="row">
                {name} {name === tier ? <Tag kind="accent">yours</Tag> : null}
                <small className={styles["below"]}>{how}</small>
              </th>
              <td className="number">{allowance === undefined ? "agreed" : count(allowance.rpm)}</td>
              <td className="number">{allowance === undefined ? "agreed" : count(allowance.tpm)}</td>
              <td className="number">{allowance === undefined ? "agreed" : count(allowance.concurrency)}</td>
              <td className={styles["how"]}>{how}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </Card>
)

export const MoveUp = ({ tier }: { readonly tier: string }) => {
  const words = nextStep(tier)
  return words === undefined ? null : <p>{words} The operator can also set a tier by hand.</p>
}
