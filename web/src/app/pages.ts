import { useNavigate } from "@tanstack/react-router";
import { CalendarClock, ChartGantt, Cpu, LayoutDashboard, List, type LucideIcon, MailX, Settings } from "lucide-react";

/** The pages, in the order of the navigation; `key` is what follows "g". */
export const PAGES = [
  { to: "/", label: "Overview", key: "o", icon: LayoutDashboard },
  { to: "/jobs", label: "Jobs", key: "j", icon: CalendarClock },
  { to: "/executions", label: "Executions", key: "e", icon: List },
  { to: "/timeline", label: "Timeline", key: "t", icon: ChartGantt },
  { to: "/dead-letters", label: "Dead letters", key: "d", icon: MailX },
  { to: "/workers", label: "Workers and nodes", key: "w", icon: Cpu },
  { to: "/settings", label: "Settings", key: "s", icon: Settings },
] as const satisfies readonly { to: string; label: string; key: string; icon: LucideIcon }[];

export function usePages() {
  const navigate = useNavigate();
  return PAGES.map((page) => ({ ...page, go: () => void navigate({ to: page.to }) }));
}
