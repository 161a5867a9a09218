import { Link, useRouter, useSearch } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { Icon, Mark } from "../../ui/Icon.tsx"
import { hasDemo } from "../../session/signIn.ts"
import { gateway, outside } from "../../session/gateway.ts"
import { safePath } from "../../session/restore.ts"
import { useSessions } from "../../session/SessionProvider.tsx"
import { Notice } from "../../ui/kit.tsx"
import styles from "./signIn.module.css"
import { DemoWay, KeyWay, OAuthWay } from "./ways.tsx"

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
  const { ended, session } = useSessions()
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
              Do you run it? <Link to="/operator">Operator’s side</Link>
            </p>
          </>
        )}
      </section>
    </div>
  )
}
