import { audit } from "@tollgate/client/admin"
import { useCall } from "@tollgate/react"
import { Button } from "../../../ui/Button.tsx"
import { Card } from "../../../ui/Card.tsx"
import { Empty } from "../../../ui/Empty.tsx"
import { Page } from "../../../ui/Page.tsx"
import { Failure } from "../parts/Failure.tsx"
import { Report } from "./Report.tsx"

const run = (_: undefined) => audit()

/** The books recomputed from their rows. */
export const AuditPage = () => {
  const { call, error, state, value } = useCall(run)
  const busy = state === "pending"
  return (
    <Page
      title="Audit"
      lead="Recomputes every balance and total from the calls and bookings, and compares. It changes nothing."
      actions={
        <Button kind="main" busy={busy} disabled={busy} onClick={() => call(undefined)}>
          {state === "done" ? "Run it again" : "Run the audit"}
        </Button>
      }
    >
      {error === undefined ? null : <Failure error={error} retry={() => call(undefined)} />}
      {value === undefined ? (
        state === "failed" ? null : (
          <Card>
            <Empty title={busy ? "The books are being recomputed" : "The audit has not run yet"}>
              <p>It reads all calls, so it may take a while on a large store. The gateway serves calls meanwhile.</p>
            </Empty>
          </Card>
        )
      ) : (
        <Report report={value} />
      )}
    </Page>
  )
}
