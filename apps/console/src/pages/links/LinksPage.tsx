import { linkState, unlink } from "@tollgate/client/account"
import type { LinkState } from "@tollgate/contract/account/Access"
import { useCall, useLoad } from "@tollgate/react"
import { useEffect, useState } from "react"
import { Button, Card, Empty, ErrorNotice, Page, Skeleton, Tag } from "../../ui/kit.tsx"
import { Dialog } from "../../ui/form.tsx"
import { fullTime } from "../../ui/times.ts"
import { LinkForm } from "./LinkForm.tsx"
import styles from "./links.module.css"

/** What is linked, and how to forget it. */
const Linked = ({ link, onUnlinked }: { readonly link: LinkState; readonly onUnlinked: () => void }) => {
  const [asks, setAsks] = useState(false)
  const { call, error, state } = useCall(unlink)
  useEffect(() => {
    if (state !== "done") return
    setAsks(false)
    onUnlinked()
  }, [state, onUnlinked])
  return (
    <>
      <dl className="facts">
        <dt>Since</dt>
        <dd>{link.linked_at === null ? "unknown" : fullTime(link.linked_at)}</dd>
        <dt>Allowed</dt>
        <dd>
          {link.scopes.length === 0 ? (
            "what the platform allows by default"
          ) : (
            <ul className={styles["scopes"]}>
              {link.scopes.map((scope) => (
                <li key={scope}>
                  <code>{scope}</code>
                </li>
              ))}
            </ul>
          )}
        </dd>
      </dl>
      <Button kind="danger" onClick={() => setAsks(true)}>
        Unlink
      </Button>
      <Dialog title="Unlink the account?" open={asks} onClose={() => setAsks(false)}>
        <p>Operations that write to {link.platform} are refused from then on. What they wrote stays there.</p>
        {error === undefined ? null : <ErrorNotice error={error} />}
        <div className="row">
          <Button onClick={() => setAsks(false)}>Cancel</Button>
          <Button kind="danger" busy={state === "pending"} onClick={() => call(undefined)}>
            Unlink
          </Button>
        </div>
      </Dialog>
    </>
  )
}

const load = linkState()

/** The platform account that write operations act for. */
export const LinksPage = () => {
  // The person approves on another page, so that this one has to look.
  const { error, refresh, value } = useLoad(load, { every: "2 seconds" })
  return (
    <Page
      title="Links"
      lead="Link an account so that operations can write to its platform. The link belongs to this key."
    >
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
          <Empty title="This gateway has no platforms to link">
            <p>The operator can add one in the configuration file.</p>
          </Empty>
        </Card>
      ) : (
        <div className={styles["cards"]}>
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
            <LinkForm key={value.linked_at ?? "none"} isLinked={value.linked} offered={value.offered_scopes} />
          </Card>
        </div>
      )}
    </Page>
  )
}
