import { Link } from "@tanstack/react-router"
import { Empty } from "../ui/Empty.tsx"

export const MissingPage = () => (
  <Empty title="There is no such page">
    <Link to="/">Go to the overview</Link>
  </Empty>
)
