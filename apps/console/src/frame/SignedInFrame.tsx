import type { ReactNode } from "react"
import { Link, Outlet, useLocation } from "@tanstack/react-router"
import type { Profile } from "@tollgate/contract/account/Profile"
import { gateway, outside } from "../session/gateway.ts"
import { account, operator, type Session } from "../session/sessions.ts"
import { useApprovals, useProfile } from "../session/useProfile.ts"
import { leftUsd, usd } from "../ui/amounts.ts"
import { Icon, type IconName, Mark } from "../ui/Icon.tsx"
import { ThemeChoice } from "./ThemeChoice.tsx"
import { routes } from "../pages.ts"
import { Button, type Fact, Facts } from "../ui/kit.tsx"
import { fullTime } from "../ui/times.ts"

const by = { key: "an API key", demo: "the demo key", oauth: "OAuth" } as const

export const isOperatorPath = (path: string): boolean => path === "/operator" || path.startsWith("/operator/")

const nameOf = (label: string, id: string): string => (label === "" ? id : label)

const profileFacts = ({ account, credential, spendable_micros_usd }: Profile): ReadonlyArray<Fact | undefined> => [
  [credential.kind === "key" ? "Key" : "App", nameOf(credential.label, credential.id)],
  ["Account", nameOf(account.label, account.id)],
  ["Sees", credential.scope === "key" ? "the calls of this key" : "the whole account"],
  ["Available", usd(spendable_micros_usd)],
  credential.ends_at === null ? undefined : ["Ends", fullTime(credential.ends_at)]
]

interface UserMenuProps {
  readonly icon: IconName
  readonly name: string
  readonly onSignOut: () => void
  readonly children: ReactNode
}

/** Who is signed in, and the way out. */
const UserMenu = ({ children, icon, name, onSignOut }: UserMenuProps) => (
  <>
    <button type="button" className="round who" popoverTarget="account" aria-label={`Signed in: ${name}`}>
      <Icon name={icon} />
      <span aria-hidden="true">{name}</span>
    </button>
    <div id="account" className="drop" popover="auto">
      {children}
      <Button onClick={onSignOut}>Sign out</Button>
    </div>
  </>
)

/** Those of the list that have a place in the menu. A route knows its path when the router is made. */
const menuPages = () =>
  routes.flatMap(({ fullPath: to, options }) => {
    const menu = options.staticData?.menu
    return menu === undefined ? [] : [{ to, ...menu }]
  })

const WaitingCount = () => {
  const { value } = useApprovals()
  const count = value?.approvals.filter(({ state }) => state === "waiting").length ?? 0
  return count === 0 ? null : (
    <span className="count">
      {count}
      <span className="quiet"> {count === 1 ? "call waits" : "calls wait"} for your approval</span>
    </span>
  )
}

/** The pages of the console. On a phone it is the menu, which a choice closes. */
const Navigation = ({ isSignedIn, onChoose }: { readonly isSignedIn: boolean; readonly onChoose: () => void }) => (
  <nav id="menu" aria-label="Pages" popover="auto">
    <ul>
      {menuPages().map(({ icon, label, to }) => (
        <li key={to}>
          <Link to={to} activeOptions={{ exact: to === "/", includeSearch: false }} onClick={onChoose}>
            <Icon name={icon} />
            {label}
            {isSignedIn && to === "/grants" ? <WaitingCount /> : null}
          </Link>
        </li>
      ))}
    </ul>
    <ul>
      <li>
        <Link to="/operator" onClick={onChoose}>
          <Icon name="operator" />
          Operator
        </Link>
      </li>
      <li>
        <a href={outside("/docs")}>
          <Icon name="docs" />
          Documentation
        </a>
      </li>
    </ul>
  </nav>
)

/** The account's balance. A limited key does not see it, and shows what it can spend itself. */
const Balance = ({ profile }: { readonly profile: Profile | undefined }) => {
  if (profile === undefined) return <span className="pill" aria-hidden="true" />
  const balance = profile.account.balance_micros_usd
  return (
    <span className="pill" title={`${usd(profile.spendable_micros_usd)} available`}>
      <span className="quiet">{balance === null ? "Available: " : "Balance: "}</span>
      {leftUsd(balance ?? profile.spendable_micros_usd)}
    </span>
  )
}

/** The end of the bar at the top, for whoever is signed in. */
const SignedInEnd = ({ session }: { readonly session: Session }) => {
  const { value } = useProfile()
  const name = value === undefined ? "Account" : nameOf(value.account.label, value.account.id)
  return (
    <>
      <Balance profile={value} />
      <ThemeChoice />
      <UserMenu icon="person" name={name} onSignOut={account.signOut}>
        {value === undefined ? null : <Facts of={profileFacts(value)} />}
        <p className="soft small">Signed in with {by[session.by]}.</p>
      </UserMenu>
    </>
  )
}

/** The same on the operator's pages, which show no account's. */
const OperatorEnd = () => {
  const { session } = operator.use()
  return (
    <>
      <ThemeChoice />
      {session === undefined ? null : (
        <UserMenu icon="operator" name="Operator" onSignOut={operator.signOut}>
          <p className="soft small">Signed in with the admin token of {gateway.name}.</p>
        </UserMenu>
      )}
    </>
  )
}

const closeMenu = (): void => {
  const menu = document.getElementById("menu")
  if (menu?.matches(":popover-open") === true) menu.hidePopover()
}

/** The operator's pages show it too, with nobody signed in. */
export const SignedInFrame = () => {
  const { session } = account.use()
  const isOperators = isOperatorPath(useLocation().pathname)
  return (
    <>
      <a className="skip" href="#main">
        Go to the content
      </a>
      <header className="top">
        <button type="button" className="round open-menu" popoverTarget="menu" aria-label="Menu">
          <Icon name="menu" />
        </button>
        <Link className="brand" to="/">
          <Mark />
          <span>{gateway.name}</span>
        </Link>
        <div className="top-end">
          {isOperators ? <OperatorEnd /> : session === undefined ? null : <SignedInEnd session={session} />}
        </div>
      </header>
      <div className="sheet">
        <Navigation isSignedIn={session !== undefined && !isOperators} onChoose={closeMenu} />
        <main id="main" tabIndex={-1}>
          <Outlet />
        </main>
      </div>
    </>
  )
}
