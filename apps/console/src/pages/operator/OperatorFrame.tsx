import { Link, Outlet, useLocation, useNavigate, useRouter } from "@tanstack/react-router"
import { me } from "@tollgate/client/admin"
import { TollgateProvider, useLoad } from "@tollgate/react/effect"
import { type FormEvent, type ReactNode, useEffect, useEffectEvent, useRef, useState } from "react"
import { gateway, outside } from "../../session/gateway.ts"
import { type NotBegun, operator } from "../../session/sessions.ts"
import { SignInAgain } from "../../ui/SignInAgain.tsx"
import { Allowed } from "../../ui/useRefusal.tsx"
import { SayProvider } from "../../ui/Say.tsx"
import styles from "./operator.module.css"
import { Card, Notice, Page } from "../../ui/kit.tsx"
import { SearchField, useAttempt } from "../../ui/form.tsx"
import { Form, Wrong } from "../../ui/ChangeButton.tsx"
import { duration } from "../../ui/times.ts"

const useTabs = () =>
  Object.values(useRouter().routesById).flatMap(({ options, to }) => {
    const label = options.staticData?.tab
    return label === undefined ? [] : [{ label, to }]
  })

/** Finds a call, an account, a key, an app, a model or an operation. */
const SearchBox = () => {
  const navigate = useNavigate()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const q = String(new FormData(event.currentTarget).get("q")).trim()
    if (q !== "") void navigate({ to: "/operator/search", search: { q } })
  }
  return (
    <form className={styles.search} role="search" onSubmit={submit}>
      <SearchField name="q" label="Search this gateway" placeholder="Request id, account, key, app, model or address" />
    </form>
  )
}

const loadMe = me()

/** Until it is known who is signed in, nothing can be changed. If it cannot be known, the gateway refuses. */
const Permitted = ({ children }: { readonly children: ReactNode }) => {
  const { error, value } = useLoad(loadMe)
  return <Allowed value={value?.may ?? (error === undefined ? [] : undefined)}>{children}</Allowed>
}

export const OperatorFrame = () => {
  const { ended, over, session } = operator.use()
  const client = session?.api
  const { pathname } = useLocation()
  const pages = useTabs()
  const isOpen = (to: string) => pathname === to || (to !== "/operator" && pathname.startsWith(`${to}/`))
  const tabs = useRef<HTMLElement>(null)
  // On a phone the tabs scroll sideways. The one in view must be among them.
  useEffect(() => {
    tabs.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" })
  }, [client, pathname])
  if (client === undefined) {
    return (
      <Page title="Operator" lead="Accounts, keys, prices, upstreams and the ledger of this gateway.">
        <TokenWay ended={ended} />
      </Page>
    )
  }
  return (
    <TollgateProvider client={client}>
      <SayProvider>
        <nav ref={tabs} className={styles.bar} aria-label="Operator">
          <ul>
            {pages.map(({ label, to }) => (
              <li key={to}>
                <Link
                  to={to}
                  activeOptions={{ exact: true, includeSearch: false }}
                  aria-current={isOpen(to) ? "page" : undefined}
                >
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <SearchBox />
        <Permitted>
          <Outlet />
        </Permitted>
      </SayProvider>
      {over === undefined ? null : (
        <SignInAgain why={over} signOut={operator.signOut}>
          <TokenWay ended={undefined} />
        </SignInAgain>
      )}
    </TollgateProvider>
  )
}

/** How this page was opened: with the secret of a link, or by the provider's answer to a sign-in. The address forgets it. */
const takeWay = (): ReadonlyArray<string | undefined> => {
  const [, way, value] = /^#(link|refused|session)=([\w-]+)$/.exec(location.hash) ?? []
  if (way !== undefined) history.replaceState(history.state, "", location.pathname)
  return [way, value]
}

/** By the reasons of `OperatorSignIn`. */
const notIdentified: Readonly<Record<string, string>> = {
  busy: "Too many sign-ins came from this address. Try again in a minute.",
  declined: "The provider did not let you sign in.",
  ended: "An owner ended your access here.",
  invalid: "The provider's answer was not valid, so you are not signed in. The log of the gateway says why.",
  late: "The sign-in took too long, or began in another tab or browser. Try again.",
  "no-role": "None of your groups has a role here. Ask an owner.",
  unreachable: "The provider cannot be reached. Try again in a moment."
}

const refusalOf = ({ message, retryAfter = 60_000, status }: NotBegun, isLink: boolean): string => {
  if (status === 401 && isLink) return "This link was used before, or has expired. tollgate sign-in prints another."
  if (status === 401) return "This is no token of an operator, and not the admin token."
  return status === 429
    ? `Too many wrong tokens came from this address. Try again in ${duration(retryAfter)}.`
    : message
}

/** The operator's own way in, which has nothing to do with an account's. */
const TokenWay = ({ ended }: { readonly ended: string | undefined }) => {
  const { attempt, busy, problem: refusal } = useAttempt((token: string) => operator.begin(token, "key"))
  const [isLink, setIsLink] = useState(false)
  const [refused, setRefused] = useState<string>()
  const follow = useEffectEvent(() => {
    const [way, value = ""] = takeWay()
    if (way === "refused") setRefused(notIdentified[value] ?? "You could not be signed in. Try again.")
    if (way === "session") operator.adopt(value).catch(() => setRefused("The gateway cannot be reached. Try again."))
    if (way !== "link") return
    setIsLink(true)
    attempt(value)
  })
  // A link that is pasted into the address of this page loads nothing.
  useEffect(() => {
    follow()
    addEventListener("hashchange", follow)
    return () => removeEventListener("hashchange", follow)
  }, [])
  return (
    <>
      {ended === undefined || refusal !== undefined ? null : <Notice kind="warn">{ended}</Notice>}
      {refusal === undefined ? null : refusal.status === 404 ? (
        <Notice kind="warn" title="The admin API is off">
          <p>
            Set TOLLGATE_ADMIN_TOKEN to a secret of at least 16 characters and start the gateway again, or add an
            operator with tollgate operators create.
          </p>
        </Notice>
      ) : (
        <Notice kind="bad" title={refusalOf(refusal, isLink)} />
      )}
      {refused === undefined || refusal !== undefined ? null : <Notice kind="bad" title={refused} />}
      <div className={styles.signIn}>
        {gateway.operatorProvider === undefined ? null : (
          <Card>
            <a className="button main" href={outside("/console/operator/sign-in")}>
              Sign in with {gateway.operatorProvider}
            </a>
          </Card>
        )}
        <Card>
          <Form<{ readonly token: string }>
            fields={{
              token: {
                label: "Admin token",
                hint: "A token of yours, or the value of TOLLGATE_ADMIN_TOKEN. Without one, open the link that the first start printed; tollgate sign-in prints another. You stay signed in for at most 12 hours. The token is not stored in the page.",
                kind: "password",
                empty: new Wrong("Paste the admin token."),
                read: (text) =>
                  /^[\x21-\x7e]+$/.test(text) ? text : new Wrong("A token has no spaces and only plain characters.")
              }
            }}
            submit="Sign in"
            change={{ busy, error: undefined }}
            onSubmit={({ token }) => {
              setIsLink(false)
              attempt(token)
            }}
          />
        </Card>
      </div>
    </>
  )
}
