import { linkStart } from "@tollgate/browser/effect"
import { linkState, unlink } from "@tollgate/client/account"
import type { LinkState } from "@tollgate/contract/account/Access"
import { defaultScopes } from "@tollgate/contract/operations/linkStart"
import { useCall, useLoad } from "@tollgate/react/effect"
import { useState } from "react"
import { ChangeButton } from "../../ui/ChangeButton.tsx"
import { Check } from "../../ui/form.tsx"
import { Button, Card, Empty, ErrorNotice, Facts, Loaded, Notice, Page, Skeleton, Tag } from "../../ui/kit.tsx"
import { duration, fullTime, useNow } from "../../ui/times.ts"
import styles from "./links.module.css"

const words: Readonly<Record<string, string>> = {
  "follows.write": "Follow and unfollow",
  "tweet.read": "Read posts",
  "users.read": "Read profiles",
  "tweet.write": "Write posts",
  "like.write": "Like posts",
  "dm.read": "Read messages",
  "dm.write": "Send messages"
}

const Linked = ({ link, onUnlinked }: { readonly link: LinkState; readonly onUnlinked: () => void }) => (
  <>
    <Facts
      of={[
        ["Since", link.linked_at === null ? "unknown" : fullTime(link.linked_at)],
        [
          "Allowed",
          link.scopes.map((scope) => words[scope] ?? scope).join(", ") || "What the platform allows by default"
        ]
      ]}
    />
    <div className="row">
      <ChangeButton
        label="Unlink"
        title="Unlink the account?"
        submit="Unlink"
        danger
        run={() => unlink()}
        onDone={onUnlinked}
      >
        <p>Operations that write to {link.platform} are refused from then on. What they wrote stays there.</p>
      </ChangeButton>
    </div>
  </>
)

interface ApprovalProps {
  /** The platform's page. */
  readonly address: string
  readonly expiresAt: string | undefined
  /** Asks for another address. */
  readonly onAgain: () => void
}

/** A link that was started and waits for the person. */
const Approval = ({ address, expiresAt, onAgain }: ApprovalProps) => {
  const now = useNow(1_000)
  const left = expiresAt === undefined ? undefined : new Date(expiresAt).getTime() - now
  if (left !== undefined && left <= 0)
    return (
      <Notice kind="warn" title="Nobody approved it in time">
        <p>The time to approve is over. Nothing was linked.</p>
        <Button onClick={onAgain}>Start over</Button>
      </Notice>
    )
  return (
    <Notice title="Approve it on the platform’s page">
      <p>
        It opens in another tab. This page notices when you are done. If you deny it, nothing changes here.
        {left === undefined ? null : (
          <span className="soft" aria-hidden="true">
            {` You have ${duration(left)}.`}
          </span>
        )}
      </p>
      <a className="button main" href={address} target="_blank" rel="noreferrer">
        Open the platform’s page
      </a>{" "}
      <Button kind="quiet" onClick={onAgain}>
        Start over
      </Button>
    </Notice>
  )
}

const defaults: ReadonlySet<string> = new Set(defaultScopes)

const isWeb = (address: string): boolean => /^https?:\/\//i.test(address)

interface LinkFormProps {
  readonly isLinked: boolean
  /** The scopes to choose from. */
  readonly offered: ReadonlyArray<string>
}

/** Starts a link. The platform's page opens beside this one. */
const LinkForm = ({ isLinked, offered }: LinkFormProps) => {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(defaults)
  const { call, error, state, value: started } = useCall(linkStart)
  const choose = (scope: string, isChosen: boolean) => {
    const next = new Set(chosen)
    if (isChosen) next.add(scope)
    else next.delete(scope)
    setChosen(next)
  }
  const start = () => call({ scopes: offered.filter((scope) => chosen.has(scope)) })
  if (started !== undefined && isWeb(started.auth_url))
    return <Approval address={started.auth_url} expiresAt={started.expires_at} onAgain={start} />
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        start()
      }}
    >
      <fieldset className="checks">
        <legend>What calls may do for you</legend>
        {offered.map((scope) => (
          <Check key={scope} checked={chosen.has(scope)} onChange={(isChosen) => choose(scope, isChosen)}>
            {words[scope] ?? "Another scope of the platform"}
            <code>{scope}</code>
          </Check>
        ))}
      </fieldset>
      {error === undefined ? null : <ErrorNotice error={error} />}
      <Button
        kind="main"
        type="submit"
        busy={state === "pending"}
        disabled={!offered.some((scope) => chosen.has(scope))}
      >
        {isLinked ? "Link again" : "Link"}
      </Button>
    </form>
  )
}

/** A new link ends the form that waited for it. */
const form = ({ linked, linked_at, offered_scopes }: LinkState) => (
  <LinkForm key={linked_at ?? "none"} isLinked={linked} offered={offered_scopes} />
)

const load = linkState()

/** The platform account that write operations act for. */
export const LinksPage = () => {
  // The person approves on another page, so that this one has to look.
  const loaded = useLoad(load, { every: "2 seconds" })
  return (
    <Page title="Connections" lead="Link an account so that calls with this key can write to its platform.">
      <Loaded of={loaded} loading={<Skeleton lines={4} />}>
        {(link) =>
          !link.available ? (
            <Empty inCard title="This gateway has no platforms to link">
              <p>The operator can add one in the configuration file.</p>
            </Empty>
          ) : (
            <div className={styles["card"]}>
              <Card
                title={link.platform}
                action={
                  <span role="status">{link.linked ? <Tag kind="good">linked</Tag> : <Tag>not linked</Tag>}</span>
                }
              >
                {link.linked ? (
                  <>
                    <Linked link={link} onUnlinked={loaded.refresh} />
                    <details>
                      <summary>Link another account, or allow other things</summary>
                      {form(link)}
                    </details>
                  </>
                ) : (
                  form(link)
                )}
              </Card>
            </div>
          )
        }
      </Loaded>
    </Page>
  )
}
