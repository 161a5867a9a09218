import { Link, useRouter, useSearch } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { hasDemo } from "../../session/demo.ts"
import { gateway, outside } from "../../session/gateway.ts"
import { safePath } from "../../session/safePath.ts"
import { useSessions } from "../../session/SessionProvider.tsx"
import { Notice } from "../../ui/Notice.tsx"
import { DemoWay } from "./DemoWay.tsx"
import { Introduction } from "./Introduction.tsx"
import { KeyWay } from "./KeyWay.tsx"
import { OAuthWay } from "./OAuthWay.tsx"
import styles from "./signIn.module.css"

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
