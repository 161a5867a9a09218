import { Link } from "@tanstack/react-router"
import { outside } from "../session/gateway.ts"
import { Icon, type IconName } from "./Icon.tsx"

const pages = [
  { to: "/", icon: "overview", label: "Overview" },
  { to: "/playground", icon: "playground", label: "Playground" },
  { to: "/calls", icon: "calls", label: "Calls" },
  { to: "/tasks", icon: "tasks", label: "Tasks" },
  { to: "/limits", icon: "limits", label: "Limits" },
  { to: "/links", icon: "links", label: "Links" },
  { to: "/grants", icon: "grants", label: "Grants" },
  { to: "/tools", icon: "tools", label: "Tools" }
] as const satisfies ReadonlyArray<{ readonly icon: IconName; readonly to: string; readonly label: string }>

/** The pages of the console. On a phone it is the menu, which a choice closes. */
export const Navigation = ({ onChoose }: { readonly onChoose: () => void }) => (
  <nav id="menu" aria-label="Pages" popover="auto">
    <ul>
      {pages.map(({ icon, label, to }) => (
        <li key={to}>
          <Link to={to} activeOptions={{ exact: to === "/", includeSearch: false }} onClick={onChoose}>
            <Icon name={icon} />
            {label}
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
