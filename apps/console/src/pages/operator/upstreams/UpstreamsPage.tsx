import { upstreams } from "@tollgate/client/admin"
import { useLoad } from "@tollgate/react"
import { Card } from "../../../ui/Card.tsx"
import { Empty } from "../../../ui/Empty.tsx"
import { Page } from "../../../ui/Page.tsx"
import { Skeleton } from "../../../ui/Skeleton.tsx"
import { Failure } from "../parts/Failure.tsx"
import { UpstreamCard } from "./UpstreamCard.tsx"

const load = upstreams()

/** How the upstreams do, as it changes. */
export const UpstreamsPage = () => {
  const { error, refresh, value } = useLoad(load, { every: "2 seconds" })
  return (
    <Page title="Upstreams" lead="The services that execute calls, as they are now.">
      {error === undefined ? null : <Failure error={error} retry={refresh} />}
      {value === undefined ? (
        error === undefined ? (
          <Skeleton lines={3} tall />
        ) : null
      ) : value.upstreams.length === 0 ? (
        <Card>
          <Empty title="There is no upstream">
            <p>The configuration file names them, and what each one serves.</p>
          </Empty>
        </Card>
      ) : (
        <div className="grid">
          {value.upstreams.map((upstream) => (
            <UpstreamCard key={`${upstream.name} ${upstream.base_url}`} upstream={upstream} />
          ))}
        </div>
      )}
    </Page>
  )
}
