import { linkState } from "@tollgate/client/account"
import { useLoad } from "@tollgate/react"
import { Button } from "../../ui/Button.tsx"
import { Card } from "../../ui/Card.tsx"
import { Empty } from "../../ui/Empty.tsx"
import { ErrorNotice } from "../../ui/ErrorNotice.tsx"
import { Page } from "../../ui/Page.tsx"
import { Skeleton } from "../../ui/Skeleton.tsx"
import { Tag } from "../../ui/Tag.tsx"
import { Linked } from "./Linked.tsx"
import { LinkForm } from "./LinkForm.tsx"
import styles from "./links.module.css"

const load = linkState()

/** The platform account that write operations act for. */
export const LinksPage = () => {
  // The person approves on another page, so that this one has to look.
  const { error, refresh, value } = useLoad(load, { every: "2 seconds" })
  return (
    <Page
      title="Links"
      lead="Operations that write to a platform act for the account that is linked here, to this key."
    >
      <div className={styles["page"]}>
        {error === undefined ? null : (
          <ErrorNotice error={error}>
            <Button onClick={refresh}>Try again</Button>
          </ErrorNotice>
        )}
        {value === undefined ? (
          error === undefined ? (
            <Card title="Linked account">
              <div role="status" aria-label="Loading">
                <Skeleton lines={4} />
              </div>
            </Card>
          ) : null
        ) : !value.available ? (
          <Card>
            <Empty title="This gateway has no platform to link to">
              <p>Its operator can set one in the configuration file.</p>
            </Empty>
          </Card>
        ) : (
          <>
            <Card
              title={value.platform}
              action={<span role="status">{value.linked ? <Tag kind="good">linked</Tag> : <Tag>not linked</Tag>}</span>}
            >
              {value.linked ? (
                <Linked link={value} onUnlinked={refresh} />
              ) : (
                <p className="soft">Operations that write are refused until an account is linked.</p>
              )}
            </Card>
            <Card title={value.linked ? "Link another account, or with other scopes" : "Link an account"}>
              {/* A new link ends the form that waited for it. */}
              <LinkForm key={value.linked_at ?? "none"} isLinked={value.linked} />
            </Card>
          </>
        )}
      </div>
    </Page>
  )
}
