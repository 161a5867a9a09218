import { Link, useRouter, useSearch } from "@tanstack/react-router"
import { type ReactNode, useEffect, useState } from "react"
import { Icon, Mark } from "../../ui/Icon.tsx"
import { hasDemo, safePath, withDemo } from "../../session/signIn.ts"
import { gateway, outside } from "../../session/gateway.ts"
import { account } from "../../session/sessions.ts"
import { Button, type ButtonProps, Notice } from "../../ui/kit.tsx"
import styles from "./signIn.module.css"
import { useAttempt } from "../../ui/form.tsx"
import { KeyWay } from "../../ui/SignInAgain.tsx"

const links = [
  { path: "/docs", title: "Every operation", text: "with its price, its limits and code that runs" },
  { path: "/docs/rules", title: "What is charged", text: "and what is never charged twice" },
  { path: "/docs/sdks", title: "SDKs you know", text: "pointed here with an address and a key" }
]

/** What this gateway is, for those who see it for the first time. */
const Introduction = () => (
  <section className={styles.introduction} aria-label="About this gateway">
    <p className={styles.name}>
      <Mark />
      {gateway.name}
    </p>
    <p className={styles.sentence}>One key for every API. The price before each call, the charge after it.</p>
    <ul>
      {links.map(({ path, text, title }) => (
        <li key={path}>
          <a href={outside(path)}>
            <strong>
              {title} <Icon name="arrow" />
            </strong>
            <span>{text}</span>
          </a>
        </li>
      ))}
    </ul>
  </section>
)

/** The redirect of OAuth comes back to the gateway's own address, so that the page must be there. */
const hasOAuth = gateway.authorizationServer !== null && new URL(gateway.authorizationServer).origin === location.origin

export const SignInPage = () => {
  const { ended, session } = account.use()
  const { to } = useSearch({ from: "/sign-in" })
  const { history } = useRouter()
  const [demo, setDemo] = useState<boolean>()
  useEffect(() => {
    document.title = `Sign in · ${gateway.name}`
    let isShown = true
    void hasDemo().then((available) => isShown && setDemo(available))
    return () => {
      isShown = false
    }
  }, [])
  useEffect(() => {
    if (session !== undefined) history.replace(outside(safePath(to)))
  }, [session, history, to])
  return (
    <div className={styles.split}>
      <Introduction />
      <section className={styles.ways} aria-label="Sign in">
        <h1>Sign in</h1>
        {ended === undefined ? null : <Notice kind="warn">{ended}</Notice>}
        {/* All at once, so that nothing moves. */}
        {demo === undefined ? null : (
          <>
            {demo ? <DemoWay /> : null}
            <KeyWay isMain={!demo} />
            {hasOAuth ? <OAuthWay /> : null}
            <p className={styles.other}>
              Running this gateway? <Link to="/operator">Operator console</Link>
            </p>
          </>
        )}
      </section>
    </div>
  )
}

interface WayProps {
  readonly label: ReactNode
  readonly hint: string
  readonly className: string | undefined
  readonly kind?: ButtonProps["kind"]
  /** Succeeds with what went wrong. */
  readonly run: () => Promise<string | undefined>
}

const Way = ({ className, hint, kind, label, run }: WayProps) => {
  const { attempt, busy, problem } = useAttempt(run)
  return (
    <div className={className}>
      <Button kind={kind} busy={busy} disabled={busy} onClick={() => attempt(undefined)}>
        {label}
      </Button>
      <p className="hint">{hint}</p>
      <div aria-live="polite">{problem === undefined ? null : <p className="wrong">{problem}</p>}</div>
    </div>
  )
}

/** The key of the first start. */
const DemoWay = () => (
  <Way
    className={styles.demo}
    kind="main"
    label={
      <>
        Use the demo key <Icon name="arrow" />
      </>
    }
    hint="The sandbox answers its calls. Nothing leaves this machine, and you spend no real money."
    run={async () => ((await withDemo()) ? undefined : "The gateway no longer offers it. Paste a key instead.")}
  />
)

/** Through the gateway's own pages, where a person sets what the console may spend. */
const OAuthWay = () => (
  <Way
    className={styles.oauth}
    label="Sign in with OAuth"
    hint="You set what this page may spend. It sees the whole account."
    run={() =>
      import("../../session/oauth.ts").then(
        ({ begin }) => begin(),
        () => "The sign-in could not be started. Load this page again."
      )
    }
  />
)
