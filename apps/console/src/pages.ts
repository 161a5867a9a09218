import {
  createRootRoute,
  createRoute,
  lazyRouteComponent,
  redirect,
  type RouteComponent,
  type StaticDataRouteOption
} from "@tanstack/react-router"
import { filterNames } from "./pages/calls/filterNames.ts"
import type { IconName } from "./ui/Icon.tsx"

declare module "@tanstack/react-router" {
  interface StaticDataRouteOption {
    /** The page is in the navigation, in the order of the list. */
    readonly menu?: { readonly icon: IconName; readonly label: string }
    /** The page is among the tabs of the operator, in the order of the list. */
    readonly tab?: string
  }
}

export const root = createRootRoute()

/** The gateway answers. A proxy answers for one that is down. */
export const isReached = (): Promise<boolean> =>
  fetch(location.href, { method: "HEAD", cache: "no-store" }).then(
    ({ status }) => status < 500,
    () => false
  )

/** The code of a page could not be loaded, because nothing answers. */
export class NotReached extends Error {}

/** A page is a file of its own, loaded when it is opened. If the console has another version by now, the router loads it anew. */
const page: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(async () => {
    try {
      return await load()
    } catch (error) {
      throw (await isReached()) ? error : new NotReached()
    }
  }, name)

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

/** Keeps the named parameters of an address if they are texts. */
const texts =
  <const Name extends string>(...names: ReadonlyArray<Name>) =>
  (search: Record<string, unknown>): { readonly [N in Name]?: string } => {
    const kept: { [N in Name]?: string } = {}
    for (const name of names) {
      const value = text(search[name])
      if (value !== undefined) kept[name] = value
    }
    return kept
  }

/** Only the operator filters by account, the first. */
const [byAccount, ...callFilters] = [...filterNames, "before"] as const

const operator = createRoute({
  getParentRoute: () => root,
  path: "/operator",
  component: page(() => import("./pages/operator/OperatorFrame.tsx"), "OperatorFrame")
})

type Load<Name extends string> = () => Promise<Readonly<Record<NoInfer<Name>, RouteComponent>>>

/** A page of who is signed in, and the parameters that its address keeps. */
const ofCaller = <const Path extends string, Name extends string, const Kept extends string = never>(
  path: Path,
  load: Load<Name>,
  name: Name,
  kept: ReadonlyArray<Kept> = [],
  staticData: StaticDataRouteOption = {}
) =>
  createRoute({
    getParentRoute: () => root,
    path,
    staticData,
    validateSearch: texts(...kept),
    component: page(load, name)
  })

/** One of them in the menu. */
const inMenu = <const Path extends string, Name extends string, const Kept extends string = never>(
  path: Path,
  icon: IconName,
  label: string,
  load: Load<Name>,
  name: Name,
  ...kept: ReadonlyArray<Kept>
) => ofCaller(path, load, name, kept, { menu: { icon, label } })

/** A page of the operator. Without a tab, others lead to it. */
const inTabs = <const Path extends string, Name extends string, const Kept extends string = never>(
  path: Path,
  tab: string | undefined,
  load: Load<Name>,
  name: Name,
  ...kept: ReadonlyArray<Kept>
) =>
  createRoute({
    getParentRoute: () => operator,
    path,
    staticData: tab === undefined ? {} : { tab },
    validateSearch: texts(...kept),
    component: page(load, name)
  })

/** Where a page of the operator was before. */
const moved = <const Path extends string>(path: Path, to: string) =>
  createRoute({
    getParentRoute: () => operator,
    path,
    beforeLoad: () => {
      throw redirect({ to, replace: true })
    }
  })

/** One page for all operations, so that the list stays while another is chosen. */
const playground = inMenu(
  "/playground",
  "playground",
  "Playground",
  () => import("./pages/playground/PlaygroundPage.tsx"),
  "PlaygroundPage"
)

export const routes = [
  inMenu(
    "/",
    "overview",
    "Overview",
    () => import("./pages/overview/OverviewPage.tsx"),
    "OverviewPage",
    ...(["window", "width", "by", "show", "tag"] as const)
  ),
  ofCaller("/sign-in", () => import("./pages/signIn/SignInPage.tsx"), "SignInPage", ["to"]),
  playground.addChildren([createRoute({ getParentRoute: () => playground, path: "/$operation" })]),
  inMenu("/models", "models", "Models", () => import("./pages/models/ModelsPage.tsx"), "ModelsPage"),
  inMenu("/calls", "calls", "Calls", () => import("./pages/calls/CallsPage.tsx"), "CallsPage", ...callFilters),
  ofCaller("/calls/$call", () => import("./pages/calls/CallPage.tsx"), "CallPage"),
  inMenu("/tasks", "tasks", "Tasks", () => import("./pages/tasks/TasksPage.tsx"), "TasksPage", "task"),
  inMenu("/keys", "key", "Keys", () => import("./pages/keys/KeysPage.tsx"), "KeysPage"),
  inMenu(
    "/billing",
    "billing",
    "Billing",
    () => import("./pages/billing/BillingPage.tsx"),
    "BillingPage",
    "before",
    "payment"
  ),
  ofCaller("/billing/$month", () => import("./pages/billing/StatementPage.tsx"), "StatementPage"),
  inMenu("/limits", "limits", "Limits", () => import("./pages/limits/LimitsPage.tsx"), "LimitsPage"),
  inMenu("/links", "links", "Connections", () => import("./pages/links/LinksPage.tsx"), "LinksPage"),
  inMenu("/grants", "grants", "Apps", () => import("./pages/grants/GrantsPage.tsx"), "GrantsPage"),
  inMenu("/tools", "tools", "Agents", () => import("./pages/tools/ToolsPage.tsx"), "ToolsPage"),
  operator.addChildren([
    inTabs("/", "Home", () => import("./pages/operator/home/HomePage.tsx"), "HomePage"),
    inTabs(
      "/accounts",
      "Accounts",
      () => import("./pages/operator/accounts/AccountsPage.tsx"),
      "AccountsPage",
      "q",
      "sort"
    ),
    inTabs("/accounts/$account", undefined, () => import("./pages/operator/account/AccountPage.tsx"), "AccountPage"),
    inTabs(
      "/calls",
      "Calls",
      () => import("./pages/operator/calls/AllCallsPage.tsx"),
      "AllCallsPage",
      byAccount,
      ...callFilters
    ),
    inTabs(
      "/calls/$account/$call",
      undefined,
      () => import("./pages/operator/calls/OperatorCallPage.tsx"),
      "OperatorCallPage"
    ),
    inTabs("/search", undefined, () => import("./pages/operator/search/SearchPage.tsx"), "SearchPage", "q"),
    inTabs(
      "/billing",
      "Billing",
      () => import("./pages/operator/billing/OperatorBillingPage.tsx"),
      "OperatorBillingPage",
      "window"
    ),
    inTabs("/prices", "Models and prices", () => import("./pages/operator/prices/PricesPage.tsx"), "PricesPage"),
    inTabs("/upstreams", "Upstreams", () => import("./pages/operator/upstreams/UpstreamsPage.tsx"), "UpstreamsPage"),
    inTabs("/operations", "Operations", () => import("./pages/operator/imports/ImportPage.tsx"), "ImportPage"),
    inTabs("/team", "Team", () => import("./pages/operator/team/TeamPage.tsx"), "TeamPage", "of"),
    inTabs("/health", "Health", () => import("./pages/operator/health/HealthPage.tsx"), "HealthPage"),
    inTabs(
      "/configuration",
      undefined,
      () => import("./pages/operator/configuration/ConfigurationPage.tsx"),
      "ConfigurationPage"
    ),
    moved("/margin", "/operator/billing"),
    moved("/import", "/operator/operations"),
    moved("/audit", "/operator/health")
  ])
] as const
