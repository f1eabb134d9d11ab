import { Page } from "../../ui/page.tsx";

export function WorkersPage() {
  return <Page title="Workers and nodes">{null}</Page>;
}
