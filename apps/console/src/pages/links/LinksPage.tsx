import { linkState, unlink } from "@tollgate/client/account"
import { useCall, useLoad } from "@tollgate/react"
import { useEffect } from "react"
import { Button } from "../../ui/Button.tsx"
import { Card } from "../../ui/Card.tsx"
import { Empty } from "../../ui/Empty.tsx"
import { ErrorNotice } from "../../ui/ErrorNotice.tsx"
import { Page } from "../../ui/Page.tsx"
import { Skeleton } from "../../ui/Skeleton.tsx"
import { Tag } from "../../ui/Tag.tsx"
import { fullTime } from "../../ui/times.ts"
import { LinkForm } from "./LinkForm.tsx"

const load = linkState()

/** The platform account that write operations act for. */
export const LinksPage = () => {
  // The person approves on another page, so that this one has to look.
  const { error, refresh, value } = useLoad(load, { every: "2 seconds" })
  const removal = useCall(unlink)
  useEffect(() => {
    if (removal.state === "done") refresh()
  }, [removal.state, refresh])
  return (
    <Page
      title="Links"
      lead="Operations that write to a platform act for the account that is linked here, to this key."
    >
      {error === undefined ? null : <ErrorNotice error={error} />}
      {removal.error === undefined ? null : <ErrorNotice error={removal.error} />}
      <Card title={value === undefined ? "Linked account" : value.platform}>
        {value === undefined ? (
          <Skeleton lines={3} />
        ) : !value.available ? (
          <Empty title="This gateway has no platform to link to">
            <p>Its operator can set one in the configuration file.</p>
          </Empty>
        ) : (
          <>
            {value.linked ? (
              <>
                <p>
                  <Tag kind="good">linked</Tag>{" "}
                  {value.linked_at === null ? null : <span className="soft">since {fullTime(value.linked_at)}</span>}
                </p>
                <p className="soft">
                  Allowed: {value.scopes.length === 0 ? "what the platform allows by default" : value.scopes.join(", ")}
                </p>
                <Button kind="danger" busy={removal.state === "pending"} onClick={() => removal.call(undefined)}>
                  Unlink
                </Button>
              </>
            ) : (
              <p>
                <Tag>not linked</Tag>{" "}
                <span className="soft">Write operations are refused until an account is linked.</span>
              </p>
            )}
            <LinkForm isLinked={value.linked} />
          </>
        )}
      </Card>
    </Page>
  )
}
