import { limitState } from "@tollgate/client/account"
import { useLoad } from "@tollgate/react"
import { useProfile } from "../../session/useProfile.ts"
import { ErrorNotice } from "../../ui/ErrorNotice.tsx"
import { Page } from "../../ui/Page.tsx"
import { Skeleton } from "../../ui/Skeleton.tsx"
import { Gauges } from "./Gauges.tsx"
import styles from "./limits.module.css"

const load = limitState()

const Loading = () => (
  <div className={styles["gauges"]} role="status" aria-label="Loading">
    {[1, 2, 3, 4].map((each) => (
      <div key={each} className={styles["loading"]}>
        <Skeleton lines={1} tall />
      </div>
    ))}
  </div>
)

/** The limits of the key as they stand. */
export const LimitsPage = () => {
  const { error, value } = useLoad(load, { every: "1 second" })
  const { value: profile } = useProfile()
  return (
    <Page
      title="Limits"
      lead={
        <>
          What this {profile?.credential.kind === "grant" ? "grant" : "key"} may do in a minute
          {profile === undefined ? "" : `, by the tier ${profile.account.tier}`}. The client waits by itself where a
          limit is reached. Looking here counts towards none of them.
        </>
      }
    >
      {error === undefined ? null : (
        <ErrorNotice error={error}>
          <p>{value === undefined ? "" : "The limits below are the last that arrived. "}It asks again each second.</p>
        </ErrorNotice>
      )}
      {value !== undefined ? <Gauges {...value} /> : error === undefined ? <Loading /> : null}
    </Page>
  )
}
