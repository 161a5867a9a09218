import type { UpstreamHealth } from "@tollgate/contract/admin/Upstream"
import { useNow } from "../../../ui/useNow.ts"
import styles from "../operator.module.css"

const Countdown = ({ at }: { readonly at: string }) => {
  const left = Math.ceil((Date.parse(at) - useNow(500)) / 1000)
  return <>{left > 0 ? `The next one is sent in ${left} s at the earliest.` : "The pause is over."}</>
}

/** What the breaker does, in words. */
export const BreakerWords = ({ upstream }: { readonly upstream: UpstreamHealth }) => {
  const { breaker, cause, retry_at: at } = upstream
  return (
    <p className={styles.breaker}>
      {breaker === "closed" ? "Calls are sent. None of them opened the breaker." : null}
      {breaker === "off" ? "Calls are always sent: it has no breaker." : null}
      {breaker === "probing"
        ? `The pause is over: one call at a time is sent until one succeeds. ${cause ?? ""}`
        : null}
      {breaker === "open" ? (
        <>
          No calls are sent. {cause} {at === null ? null : <Countdown at={at} />}
        </>
      ) : null}
    </p>
  )
}
