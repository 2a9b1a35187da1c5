// Does what it is told over standard input.
static bool read_all(void *into, size_t count) { return fread(into, 1, count, stdin) == count; }

int main() {
    uint64_t command[8];
    while (read_all(command, sizeof command)) {
        switch (command[0]) {
        case 0: { // memory of zeros
            uint64_t at = (uint64_t)calloc(command[1] ? command[1] : 1, 1);
            fwrite(&at, 8, 1, stdout);
            break;
        }
        case 1: // free it
            free((void *)command[1]);
            break;
        case 2: // write
            if (!read_all((void *)command[1], command[2])) return 1;
            break;
        case 3: // read
            fwrite((void *)command[1], 1, command[2], stdout);
            break;
        default: // a kernel, by so many threads
            the_threads = command[1];
            for (the_thread = 0; the_thread < the_threads; ++the_thread) {
                switch (command[0]) {
                case 4: expand(command[2], command[3], command[4]); break;
                case 5: enter_rows(command[2], command[3], command[4], command[5]); break;
                case 6: gather_rows(command[2], command[3], command[4], command[5]); break;
                case 7: move_states(command[2], command[3], command[4]); break;
#if AUTOMATON
                case 8: spread(command[2], command[3], command[4], command[5], command[6]); break;
                case 9: leave_all(command[2], command[3]); break;
                case 10: leave_to_host(command[2], command[3], command[4], command[5]); break;
                case 11: begin_pass(command[2], command[3]); break;
                case 12: judge(command[2], command[3], command[4]); break;
                case 13: tell_rows(command[2], command[3], command[4], command[5], command[6], command[7]); break;
                case 14: take_flags(command[2], command[3], command[4], command[5], command[6]); break;
                case 15: find_rows(command[2], command[3], command[4], command[5]); break;
                case 16: row_of_place(command[2], command[3], command[4]); break;
                case 17: some_left(command[2], command[3], command[4]); break;
                case 18: number_of(command[2], command[3], command[4], command[5]); break;
#endif
                default: return 2;
                }
            }
            uint64_t done = 1;
            fwrite(&done, 8, 1, stdout);
        }
        fflush(stdout);
    }
    return 0;
}
